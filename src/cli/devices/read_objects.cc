#include "cli/devices/read_objects.h"

#include <optional>
#include <utility>

#include "cli/explain/input.h"
#include "cli/explain/live_cluster.h"
#include "cli/explain/object_file.h"

namespace outrigger::cli {
namespace {

PodName NamedPod(const std::string& pod, const std::string& name_space) {
  const size_t slash = pod.find('/');
  if (slash == std::string::npos) return {name_space, pod};
  return {pod.substr(0, slash), pod.substr(slash + 1)};
}

absl::Status TakeFile(const std::string& path, const World& world, DeviceTaker* taker,
                      bool is_cluster) {
  absl::StatusOr<ExplainInput> input = ReadExplainInput(path, world);
  if (!input.ok()) return input.status();
  if (is_cluster) {
    taker->BeginCluster(input->name, /*gives_way=*/false);
  } else {
    taker->Begin(input->name);
  }
  return ForEachObjectInFile(
      input->name, std::move(input->text),
      [taker](const json::ListedObject& object) { return taker->Take(object); });
}

absl::Status TakeLive(ClusterObjects& cluster, const PodName* pod, DeviceTaker* taker,
                      std::vector<std::string>* notes) {
  taker->BeginCluster("the cluster", /*gives_way=*/true);
  return cluster.ForEachDeviceObject(
      pod, [taker](const json::ListedObject& object) { return taker->Take(object); }, notes);
}

}  // namespace

absl::StatusOr<DeviceObjects> ReadDeviceObjects(const DeviceSources& sources,
                                                const std::string& pod, const World& world,
                                                std::vector<std::string>* notes) {
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
  for (const std::string& file : sources.files) {
    absl::Status status = TakeFile(file, world, &taker, /*is_cluster=*/false);
    if (!status.ok()) return status;
  }
  absl::Status status;
  if (live != nullptr) {
    const PodName named = NamedPod(pod, name_space);
    status = TakeLive(*live, pod.empty() ? nullptr : &named, &taker, notes);
  } else if (!sources.cluster.empty()) {
    status = TakeFile(sources.cluster, world, &taker, /*is_cluster=*/true);
  }
  if (!status.ok()) return status;
  return taker.Finish(notes);
}

}  // namespace outrigger::cli
