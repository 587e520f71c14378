#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <ostream>
#include <system_error>

#include "cli/manifests/manifests.h"
#include "console/args/flags.h"
#include "console/format/files.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli::manifests {
namespace {

absl::StatusOr<int64_t> ReadReplicas(const std::string& text) {
  int64_t replicas = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, replicas);
  if (result.ec == std::errc() && result.ptr == end) return replicas;
  return NotAccepted("--replicas", text, "a number from 1 to 10");
}

absl::StatusOr<SchedulerConfigInput> ReadConfig(const std::string& path, const World& world) {
  if (path == "-") {
    return SchedulerConfigInput{"standard input", {std::istreambuf_iterator<char>(world.in), {}}};
  }
  absl::StatusOr<std::string> yaml = ReadFile(path);
  if (!yaml.ok()) return Of("--in", yaml.status());
  return SchedulerConfigInput{path, *std::move(yaml)};
}

absl::StatusOr<ManifestsFlags> ReadFlags(const Given& given, const World& world) {
  ManifestsFlags flags;
  flags.names = given.Values("agent");
  flags.name_space = given.Value("--namespace", flags.name_space);
  flags.scheduler_name = given.Value("--scheduler-name");
  flags.scheduler_name_given = given.Has("--scheduler-name");
  flags.image = given.Value("--image", flags.image);
  flags.kubernetes = given.Value("--kubernetes", flags.kubernetes);
  flags.alone = given.Has("--alone");
  if (given.Has("--replicas")) {
    const auto replicas = ReadReplicas(given.Value("--replicas"));
    if (!replicas.ok()) return replicas.status();
    flags.replicas = *replicas;
  }
  if (given.Has("--in")) {
    auto in = ReadConfig(given.Value("--in"), world);
    if (!in.ok()) return in.status();
    flags.in = *std::move(in);
  }
  return flags;
}

// The command that prints the same again.
std::string CommandOf(const Given& given) {
  std::string command = "outrigger manifests";
  for (const std::string& name : given.Values("agent")) command += " " + name;
  if (given.Has("--alone")) command += " --alone";
  for (const char* flag :
       {"--namespace", "--scheduler-name", "--replicas", "--image", "--kubernetes", "--in"}) {
    if (given.Has(flag)) command += fmt::format(" {} {}", flag, given.Value(flag));
  }
  return Printable(command);  // it is written into a comment
}

absl::Status WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("-o: cannot write {}", path.string()));
}

// A folder for kubectl apply -f, and for -k with what the user adds to kustomization.yaml.
absl::StatusOr<std::string> WriteFolder(const std::string& folder, const std::string& file,
                                        const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::UnavailableError(
        fmt::format("-o: cannot make folder {}: {}", folder, error.message()));
  }
  const std::filesystem::path root(folder);
  absl::Status status = WriteFile(root / file, text);
  if (!status.ok()) return status;
  const std::filesystem::path kustomization = root / "kustomization.yaml";
  std::string written = fmt::format("wrote {}\n", (root / file).string());
  // What a user has added there stays.
  if (std::filesystem::exists(kustomization, error)) {
    return written + fmt::format("left {} as it is\n", kustomization.string());
  }
  status = WriteFile(kustomization, fmt::format("apiVersion: kustomize.config.k8s.io/v1beta1\n"
                                                "kind: Kustomization\nresources: [{}]\n",
                                                file));
  if (!status.ok()) return status;
  return written + fmt::format("wrote {}\n", kustomization.string());
}

absl::StatusOr<std::string> Render(const Given& given, const World& world) {
  const auto flags = ReadFlags(given, world);
  if (!flags.ok()) return flags.status();
  auto request = ReadManifestsRequest(*flags, world.registry, world.left_out);
  if (!request.ok()) return request.status();
  request->command = CommandOf(given);
  auto text = RenderManifests(*request, world.registry);
  if (!text.ok()) return text;
  if (!request->processes.empty()) {
    world.err << "note: if another program's Deployment of that name is there, delete it first: "
                 "the first lines say how\n";
  }
  if (!given.Has("--output-dir")) return text;
  return WriteFolder(given.Value("--output-dir"), ManifestFileName(*request), *text);
}

}  // namespace

Command ManifestsCommand(const std::vector<AgentInfo>& registry) {
  std::vector<std::string> names;
  names.reserve(registry.size() + 3);
  for (const AgentInfo& agent : registry) names.push_back(agent.name);
  for (const char* name : {"annotate-usage", "annotate-allocation", "service-account"}) {
    names.emplace_back(name);
  }
  Command command{.name = "manifests",
                  .summary = "Print what runs agents in a cluster, for kubectl apply",
                  .run = [](const Given& given, const World& world) {
                    return Finish(Render(given, world), world);
                  }};
  command.flags = {
      {.name = "agent",
       .help = "agents, each in a container of its own; gang,qos: in one container. "
               "annotate-usage and annotate-allocation: the annotators",
       .offered = names,
       .is_repeatable = true},
      {.name = "-n,--namespace", .value = "NS", .help = "namespace of all (default kube-system)"},
      {.name = "--scheduler-name",
       .value = "NAME",
       .help = "name of the scheduler and of its objects (default outrigger); with --alone: whose "
               "pods are planned (default default-scheduler)"},
      {.name = "--replicas",
       .value = "N",
       .help = "pods, of which one at a time acts: 1 to 10 (default 2)"},
      {.name = "--image",
       .value = "IMAGE",
       .help = "image of the agents; {agents} stands for those of the container (default "
               "kube-sched-ext-{agents}:0.0)"},
      {.name = "--kubernetes",
       .value = "VERSION",
       .help = "version of the cluster, which kube-scheduler's image must not exceed (default "
               "1.37.2)"},
      {.name = "--alone",
       .help =
           "Without a scheduler of its own: gang and qos by scheduling gates, penalty as it is"},
      {.name = "--in",
       .value = "FILE",
       .help = "KubeSchedulerConfiguration to begin with; - reads standard input",
       .is_file = true},
      {.name = "-o,--output-dir",
       .value = "DIR",
       .help = "Write a file and a kustomization.yaml into this folder"}};
  return command;
}

}  // namespace outrigger::cli::manifests
