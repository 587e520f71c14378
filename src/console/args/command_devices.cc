// The command lines of `outrigger schedule` and `outrigger devices`.

#include <algorithm>

#include "console/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr const char* kStandardInput = "-";

}  // namespace

void CommandLine::Tree::AddDeviceSources(CLI::App* command, const std::string& otherwise) {
  AddValue(command, "-f,--filename", "FILE",
           "pods, claims, classes, drivers, pools and nodes, in YAML or JSON; may be given several "
           "times; - reads standard input",
           {.is_file = true, .values = {}, .is_repeatable = true});
  AddValue(command, "--cluster", "FILE|live",
           fmt::format(
               "the cluster: live, or what `kubectl get nodes,namespaces,pods,devmgmt -A -o json` "
               "(faster) or yaml prints; - reads standard input; without it, {}",
               otherwise),
           {.is_file = true, .values = {}});
  AddValue(command, "-n,--namespace", "NS",
           "namespace of objects that name none (default: the context's, or default)");
  AddValue(command, "--kubeconfig", "FILE", "how to reach the live cluster", {true, false, {}});
  AddValue(command, "--context", "NAME", "context of the kubeconfig (default: the current one)");
}

void CommandLine::Tree::AddSchedule() {
  CLI::App* schedule =
      AddCommand("schedule", "Find a node and devices for the device claims of a pod");
  AddDeviceSources(schedule, "the files are all there is");
  AddValue(schedule, "--pod", "NAME",
           "the pod: NAME or NAMESPACE/NAME (default: the one in the files; without a pod there, "
           "all claims of the files)");
  schedule->add_flag("-v,--verbose")
      ->description("Whole results: pools ignored and why, scores; also VERBOSE=y");
  AddValue(schedule, "-o,--output", "FORMAT", "text, json or yaml (default text)",
           {false, false, {"text", "json", "yaml"}});
  schedule->add_flag("--original-results")
      ->description("What the prototype's scheduler answers, faults included");
  schedule->add_flag("--network-pools")
      ->description("Devices of pools without a node serve every node");
  schedule->add_flag("--write")->description(
      "Write it: pools, claims and the pod's binding; with --cluster live");
  schedule->footer(fmt::format(
      "Devices alone are looked at: not resources, taints or affinity. Nothing is written without "
      "--write,\nwhich looks at these too, and for which the state of the cluster alone counts: of "
      "files the pod's\nname is read.\n"
      "What claims have in their status is in use. Classes are looked up in a live cluster, and "
      "where there\nis any; docs/devices.md has the formats.\n{}",
      kExitCodes));
}

void CommandLine::Tree::AddDevices() {
  CLI::App* devices = AddCommand(
      "devices", "List pools of devices: total, used, free, and by which claims and pods");
  AddDeviceSources(devices, "the live cluster is read if there is no --filename either");
  AddValue(devices, "-o,--output", "FORMAT", "table or json (default table)",
           {false, false, {"table", "json"}});
  AddColor(devices);
}

absl::Status CommandLine::Tree::ReadDeviceSources(const CLI::App& given, DeviceSources* sources) {
  sources->files = ValuesOf(given, "--filename");
  sources->cluster = ValueOf(given, "--cluster", "");
  sources->name_space = ValueOf(given, "--namespace", "");
  sources->kubeconfig = ValueOf(given, "--kubeconfig", "");
  sources->context = ValueOf(given, "--context", "");
  std::vector<std::string> read = sources->files;
  if (given.count("--cluster") > 0) read.push_back(sources->cluster);
  if (std::find(read.begin(), read.end(), "") != read.end()) {
    return absl::InvalidArgumentError("--filename and --cluster want a file, not \"\"");
  }
  if (std::count(read.begin(), read.end(), kStandardInput) > 1) {
    return absl::InvalidArgumentError(
        "--filename and --cluster read standard input more than once; only one can");
  }
  return absl::OkStatus();
}

absl::StatusOr<Command> CommandLine::Tree::ReadSchedule(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kSchedule;
  ScheduleFlags& flags = command.schedule;
  absl::Status status = CheckWord(given, "--output");
  if (status.ok()) status = ReadDeviceSources(given, &flags.sources);
  if (!status.ok()) return status;
  const DeviceSources& sources = flags.sources;
  if (sources.cluster != DeviceSources::kLive &&
      !(sources.kubeconfig.empty() && sources.context.empty())) {
    return absl::InvalidArgumentError("--kubeconfig and --context go with --cluster live");
  }
  flags.pod = ValueOf(given, "--pod", "");
  flags.output = ValueOf(given, "--output", flags.output);
  flags.verbose = given.count("--verbose") > 0;
  flags.original_results = given.count("--original-results") > 0;
  flags.network_pools = given.count("--network-pools") > 0;
  flags.write = given.count("--write") > 0;
  if (flags.write && (sources.cluster != DeviceSources::kLive || flags.original_results)) {
    return absl::InvalidArgumentError(
        "--write goes with --cluster live, and not with --original-results");
  }
  if (sources.files.empty() && (sources.cluster.empty() || flags.pod.empty())) {
    return absl::InvalidArgumentError(
        fmt::format("schedule wants --filename FILE with a pod or claims, or --cluster with --pod; "
                    "see `{} schedule --help`",
                    app_.get_name()));
  }
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadDevices(const CLI::App& given) const {
  for (const char* flag : {"--output", "--color"}) {
    absl::Status status = CheckWord(given, flag);
    if (!status.ok()) return status;
  }
  Command command;
  command.kind = Command::Kind::kDevices;
  DevicesFlags& flags = command.devices;
  absl::Status status = ReadDeviceSources(given, &flags.sources);
  if (!status.ok()) return status;
  DeviceSources& sources = flags.sources;
  if (sources.files.empty() && sources.cluster.empty()) sources.cluster = DeviceSources::kLive;
  if (sources.cluster != DeviceSources::kLive &&
      !(sources.kubeconfig.empty() && sources.context.empty())) {
    return absl::InvalidArgumentError("--kubeconfig and --context are for the live cluster");
  }
  flags.output = ValueOf(given, "--output", flags.output);
  flags.color = ValueOf(given, "--color", flags.color);
  return command;
}

}  // namespace outrigger::cli
