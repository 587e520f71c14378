#include "devices/commands/devices/read_objects.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "console/args/flags.h"
#include "console/format/files.h"
#include "console/reading/input.h"
#include "console/reading/live_cluster.h"
#include "console/reading/object_file.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

PodName NamedPod(const std::string& pod, const std::string& name_space) {
  const size_t slash = pod.find('/');
  if (slash == std::string::npos) return {name_space, pod};
  return {pod.substr(0, slash), pod.substr(slash + 1)};
}

// What is read goes to these.
struct Takers {
  DeviceTaker* devices;
  DraTaker* dra;  // may be null

  absl::Status Take(const json::ListedObject& object) const {
    absl::Status status = devices->Take(object);
    return status.ok() && dra != nullptr ? dra->Take(object) : status;
  }
  void Begin(const std::string& source) const {
    devices->Begin(source);
    if (dra != nullptr) dra->Begin(source);
  }
  void BeginCluster(const std::string& source, bool gives_way) const {
    devices->BeginCluster(source, gives_way);
    if (dra != nullptr) dra->BeginCluster(source);
  }
};

absl::Status TakeFile(const std::string& path, const World& world, const Takers& takers,
                      bool is_cluster) {
  absl::StatusOr<ExplainInput> input = ReadExplainInput(path, world);
  if (!input.ok()) return Of(is_cluster ? "--cluster" : "--filename", input.status());
  if (is_cluster) {
    takers.BeginCluster(input->name, /*gives_way=*/false);
  } else {
    takers.Begin(input->name);
  }
  return ForEachObjectInFile(
      input->name, std::move(input->text),
      [&takers](const json::ListedObject& object) { return takers.Take(object); });
}

absl::Status TakeLive(ClusterObjects& cluster, const PodName* pod, const Takers& takers,
                      std::vector<std::string>* notes) {
  takers.BeginCluster("the cluster", /*gives_way=*/true);
  absl::Status status = cluster.ForEachDeviceObject(
      pod, [&takers](const json::ListedObject& object) { return takers.devices->Take(object); },
      notes);
  if (!status.ok() || takers.dra == nullptr) return status;
  status = cluster.ForEachDraObject(
      pod, [&takers](const json::ListedObject& object) { return takers.dra->Take(object); },
      takers.dra->Notes());
  if (!absl::IsPermissionDenied(status)) return status;
  takers.dra->Miss(status);  // which does not matter to DeviceClaims
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DeviceObjects> ReadDeviceObjects(const DeviceSources& sources,
                                                const std::string& pod, const World& world,
                                                std::vector<std::string>* notes, DraTaker* dra) {
  std::unique_ptr<ClusterObjects> live;
  std::string name_space = sources.name_space;
  if (sources.cluster == DeviceSources::kLive) {
    auto opened = OpenLiveCluster({sources.kubeconfig, sources.context}, world.environment);
    if (!opened.ok()) return opened.status();
    live = *std::move(opened);
    if (name_space.empty()) name_space = live->DefaultNamespace();
  }
  if (name_space.empty()) name_space = "default";
  DeviceTaker taker(name_space);
  if (dra != nullptr) dra->BeginIn(name_space);
  const Takers takers{&taker, dra};
  for (const std::string& file : sources.files) {
    absl::Status status = TakeFile(file, world, takers, /*is_cluster=*/false);
    if (!status.ok()) return status;
  }
  absl::Status status;
  if (live != nullptr) {
    const PodName named = NamedPod(pod, name_space);
    status = TakeLive(*live, pod.empty() ? nullptr : &named, takers, notes);
  } else if (!sources.cluster.empty()) {
    status = TakeFile(sources.cluster, world, takers, /*is_cluster=*/true);
  }
  if (!status.ok()) return status;
  return taker.Finish(notes);
}

std::vector<Flag> DeviceSourceFlags(const std::string& otherwise) {
  return Together(
      {{{.name = "-f,--filename",
         .value = "FILE",
         .help = "pods, claims, classes, drivers, pools and nodes, in YAML or JSON; repeatable; - "
                 "reads standard input",
         .is_file = true,
         .is_repeatable = true},
        {.name = "--cluster",
         .value = "FILE|live",
         .help = fmt::format(
             "live, or a file with the output of `kubectl get nodes,namespaces,pods,devmgmt -A -o "
             "json` (faster) or yaml; - reads standard input; default: {}",
             otherwise),
         .is_file = true},
        {.name = "-n,--namespace",
         .value = "NS",
         .help = "namespace of objects without one (default: the context's, or default)"}},
       KubeconfigFlags("the live cluster")});
}

absl::Status ReadDeviceSources(const Given& given, DeviceSources* sources) {
  sources->files = given.Values("--filename");
  sources->cluster = given.Value("--cluster");
  sources->name_space = given.Value("--namespace");
  sources->kubeconfig = given.Value("--kubeconfig");
  sources->context = given.Value("--context");
  std::vector<std::string> read = sources->files;
  if (given.Has("--cluster")) read.push_back(sources->cluster);
  if (std::find(read.begin(), read.end(), "") != read.end()) {
    return absl::InvalidArgumentError("--filename and --cluster need a file, not \"\"");
  }
  if (std::count(read.begin(), read.end(), "-") > 1) {
    return absl::InvalidArgumentError(
        "--filename and --cluster read standard input more than once; only one can");
  }
  return absl::OkStatus();
}

}  // namespace outrigger::cli
