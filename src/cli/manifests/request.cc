#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "cli/agents/rbac.h"
#include "cli/doctor/doctor.h"
#include "cli/manifests/manifests.h"
#include "cli/scheduler_config/document.h"
#include "cli/scheduler_config/facts.h"
#include "console/args/flags.h"
#include "console/format/files.h"
#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli::manifests {
namespace {

using Processes = std::vector<AgentProcess>;

constexpr std::array kAnnotators{
    Annotator{"annotate-usage", "usage", "safe", 9981, false, true},
    Annotator{"annotate-allocation", "allocation", "pigeon", 9982, true, false},
};
constexpr std::string_view kServiceAccount = "service-account";
constexpr std::string_view kOwnName = "outrigger";

absl::Status Refuse(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

const Annotator* FindAnnotator(const std::string& name) {
  for (const Annotator& annotator : kAnnotators) {
    if (annotator.name == name) return &annotator;
  }
  return nullptr;
}

// With the names that are not agents among the candidates.
absl::Status CheckName(const std::string& name, const std::vector<AgentInfo>& registry,
                       const LeftOutAgents& left_out) {
  std::vector<std::string> names;
  for (const AgentInfo& agent : registry) {
    if (agent.name == name) return absl::OkStatus();
    names.push_back(agent.name);
  }
  if (std::find(left_out.begin(), left_out.end(), name) != left_out.end()) {
    return ChooseAgents(name, registry, left_out).status();
  }
  for (const Annotator& annotator : kAnnotators) names.emplace_back(annotator.name);
  names.emplace_back(kServiceAccount);
  return Refuse(fmt::format("there is no agent \"{}\"{} (there are {})", name,
                            DidYouMean(name, names), Listed(names)));
}

absl::Status ReadNames(const ManifestsFlags& flags, const std::vector<AgentInfo>& registry,
                       const LeftOutAgents& left_out, ManifestsRequest* request) {
  if (flags.names.empty()) {
    return Refuse(
        "manifests needs the names of agents, such as `outrigger manifests gang`; `outrigger "
        "agents` lists them");
  }
  std::string all;
  for (const std::string& word : flags.names) {
    if (const Annotator* annotator = FindAnnotator(word); annotator != nullptr) {
      const auto& known = request->annotators;
      if (std::find(known.begin(), known.end(), annotator) != known.end()) {
        return Refuse(word + " is named twice");
      }
      request->annotators.push_back(annotator);
      continue;
    }
    if (word == kServiceAccount) {
      request->service_account = true;
      continue;
    }
    AgentProcess process;
    for (const std::string& name : SplitList(word)) {
      absl::Status known = CheckName(name, registry, left_out);
      if (!known.ok()) return known;
      process.agents.push_back((*ChooseAgents(name, registry, left_out))[0]);
      all += (all.empty() ? "" : ",") + name;
    }
    request->processes.push_back(std::move(process));
  }
  return all.empty() ? absl::OkStatus() : ChooseAgents(all, registry, left_out).status();
}

bool Contains(const AgentProcess& process, const std::string& name) {
  const std::vector<std::string> names = process.Names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `party` runs as one process: its agents that were named one by one move together.
absl::Status Join(const std::vector<std::string>& party, Processes* processes) {
  std::optional<size_t> first;
  for (size_t i = 0; i < processes->size(); ++i) {
    AgentProcess& process = (*processes)[i];
    const bool has_one = std::any_of(party.begin(), party.end(), [&](const std::string& name) {
      return Contains(process, name);
    });
    if (!has_one) continue;
    const std::vector<std::string> names = process.Names();
    const bool is_other = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::find(party.begin(), party.end(), name) == party.end();
    });
    if (is_other || (names.size() > 1 && names.size() < party.size())) {
      return Refuse(fmt::format(
          "{}: {} plan or bind together, in a container of their own: write {}, and all other "
          "agents as words of their own",
          fmt::join(names, ","), Listed(party), fmt::join(party, ",")));
    }
    if (!first) {
      first = i;
      continue;
    }
    AgentProcess& home = (*processes)[*first];
    home.agents.insert(home.agents.end(), process.agents.begin(), process.agents.end());
    process.agents.clear();
  }
  std::erase_if(*processes, [](const AgentProcess& process) { return process.agents.empty(); });
  return absl::OkStatus();
}

absl::Status ChoosePorts(Processes* processes) {
  const AgentProcess* shared = nullptr;
  for (AgentProcess& process : *processes) {
    const bool together = process.agents.size() > 1;
    process.port = together ? kSharedPort : process.agents[0]->port;
    process.plans = std::any_of(process.agents.begin(), process.agents.end(),
                                [](const AgentInfo* agent) { return agent->factory.wishes.last; });
    if (!together) continue;
    if (shared != nullptr) {
      return Refuse(fmt::format(
          "{} and {}: both containers would listen on port {}, that of several agents together: "
          "write the agents of one of them as words of their own",
          fmt::join(shared->Names(), ","), fmt::join(process.Names(), ","), kSharedPort));
    }
    shared = &process;
  }
  return absl::OkStatus();
}

std::string AllNames(const Processes& processes) {
  std::vector<std::string> names;
  for (const AgentProcess& process : processes) {
    for (const std::string& name : process.Names()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

// The flags of `outrigger scheduler-config` that give the same configuration, but for where
// agents that share a process by choice are called.
SchedulerConfigFlags ConfigFlags(const ManifestsRequest& request) {
  SchedulerConfigFlags flags;
  flags.agents = AllNames(request.processes);
  flags.scheduler_name = request.scheduler_name;
  flags.name_space = request.flags.name_space;
  return flags;
}

using Parties = std::vector<std::vector<std::string>>;

// Agents of one container that have entries of their own: at the port that they share.
std::vector<std::string> SharedUrls(const ManifestsRequest& request, const Parties& parties) {
  std::vector<std::string> urls;
  for (const AgentProcess& process : request.processes) {
    const std::vector<std::string> names = process.Names();
    if (names.size() < 2 || std::find(parties.begin(), parties.end(), names) != parties.end()) {
      continue;
    }
    for (const std::string& name : names) {
      urls.push_back(fmt::format("{}=http://127.0.0.1:{}", name, kSharedPort));
    }
  }
  return urls;
}

absl::Status CheckLease(const ManifestsRequest& request) {
  const std::string& lease = request.scheduler_lease;
  const int64_t replicas = request.flags.replicas;
  if (lease == "none") {
    if (replicas == 1) return absl::OkStatus();
    return Refuse(fmt::format(
        "--replicas {}: leaderElection.leaderElect of --in is false, so all replicas would place "
        "pods at once; set it to true, or give --replicas 1",
        replicas));
  }
  if (lease == "kube-system/kube-scheduler") {
    return Refuse(fmt::format(
        "--in: leaderElection names the Lease of the cluster's own scheduler, {}: this one would "
        "wait for it for ever; set leaderElection.resourceName: {}",
        lease, request.scheduler_name));
  }
  const size_t slash = lease.find('/');
  absl::Status status =
      CheckObjectName("--in: leaderElection.resourceNamespace", lease.substr(0, slash));
  if (!status.ok()) return status;
  return CheckObjectName("--in: leaderElection.resourceName", lease.substr(slash + 1));
}

// What a file for another place has, and would harm here.
absl::Status CheckConfiguration(const ManifestsRequest& request, const SchedulerConfigPlan& plan) {
  const YAML::Node root = YAML::Load(request.scheduler_yaml);
  for (const YAML::Node& profile : root["profiles"]) {
    const YAML::Node name = profile["schedulerName"];
    if (name.IsDefined() && name.Scalar() == request.scheduler_name) continue;
    return Refuse(fmt::format(
        "--in: profiles: this scheduler would place the pods of {}, too: leave only the profile {}",
        name.IsDefined() ? name.Scalar() : kDefaultScheduler, request.scheduler_name));
  }
  const YAML::Node kubeconfig = root["clientConnection"]["kubeconfig"];
  if (kubeconfig.IsDefined() && !kubeconfig.Scalar().empty()) {
    return Refuse(fmt::format(
        "--in: clientConnection.kubeconfig: \"{}\" is no file of the pod, which uses its service "
        "account: take it out",
        kubeconfig.Scalar()));
  }
  for (const YAML::Node& extender : root["extenders"]) {
    const std::string url = extender["urlPrefix"].as<std::string>("");
    const bool is_ours =
        std::any_of(plan.extenders.begin(), plan.extenders.end(),
                    [&url](const ExtenderEntry& entry) { return entry.url_prefix == url; });
    const bool is_in_pod =
        url.find("//127.") != std::string::npos || url.find("//localhost") != std::string::npos;
    if (is_ours || !is_in_pod) continue;
    return Refuse(fmt::format(
        "--in: extenders: nothing in the pod listens at {}: name its agent, or take the entry out",
        url));
  }
  return absl::OkStatus();
}

// What `outrigger scheduler-config` prints for these agents, and its Lease.
absl::Status WriteConfig(const std::vector<AgentInfo>& registry, const LeftOutAgents& left_out,
                         ManifestsRequest* request) {
  auto plan = PlanSchedulerConfig(ConfigFlags(*request), registry, left_out);
  if (!plan.ok()) return plan.status();
  Parties parties;
  for (const ExtenderEntry& entry : plan->extenders) {
    if (entry.agents.size() > 1) parties.push_back(entry.agents);
  }
  for (const auto& party : parties) {
    absl::Status joined = Join(party, &request->processes);
    if (!joined.ok()) return joined;
  }
  absl::Status ports = ChoosePorts(&request->processes);
  if (!ports.ok()) return ports;
  SchedulerConfigFlags flags = ConfigFlags(*request);
  flags.urls = SharedUrls(*request, parties);
  plan = PlanSchedulerConfig(flags, registry, left_out);
  if (!plan.ok()) return plan.status();
  const auto& input = request->flags.in;
  if (input) {
    absl::Status accepted =
        CheckAcceptedByScheduler({input->name, input->yaml}, plan->compiled_in, left_out);
    if (!accepted.ok()) return Of("--in", accepted);
  }
  const auto text = WriteSchedulerConfig(*plan, input);
  if (!text.ok()) return input ? Of("--in", text.status()) : text.status();
  request->scheduler_yaml = text->yaml;
  const auto facts =
      ReadSchedulerFacts({"scheduler.yaml", text->yaml}, plan->compiled_in, left_out, {});
  if (!facts.ok()) return facts.status();
  request->scheduler_lease = facts->lease.value_or("none");
  absl::Status lease = CheckLease(*request);
  return lease.ok() ? CheckConfiguration(*request, *plan) : lease;
}

bool RunsAlone(const AgentInfo& agent) {
  const AgentFactory& factory = agent.factory;
  return factory.settings.Find("mode") != nullptr ||
         (!factory.filters && !factory.scores && !factory.TakesBindCalls());
}

// Controllers: those that plan are one process here, too.
absl::Status PlanAlone(ManifestsRequest* request) {
  std::vector<std::string> planners;
  for (const AgentProcess& process : request->processes) {
    for (const AgentInfo* agent : process.agents) {
      if (!RunsAlone(*agent)) {
        return Refuse(fmt::format(
            "--alone: agent {} works only if a scheduler calls it; leave out --alone or the agent",
            agent->name));
      }
      if (agent->factory.wishes.last) planners.push_back(agent->name);
    }
  }
  if (request->processes.empty()) {
    return Refuse("--alone needs an agent that works without a scheduler: gang, qos or penalty");
  }
  if (planners.size() > 1) {
    absl::Status joined = Join(planners, &request->processes);
    if (!joined.ok()) return joined;
  }
  return ChoosePorts(&request->processes);
}

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
};

std::optional<Version> ParseVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  text = text.substr(0, text.find_first_of("-+"));  // "v1.33.4-eks-1"
  Version version;
  size_t read = 0;
  for (int* const part : {&version.major, &version.minor, &version.patch}) {
    const std::string_view word = text.substr(0, text.find('.'));
    const auto result = std::from_chars(word.data(), word.data() + word.size(), *part);
    if (result.ec != std::errc() || result.ptr != word.data() + word.size()) return std::nullopt;
    ++read;
    if (word.size() == text.size()) {
      text = {};
      break;
    }
    text.remove_prefix(word.size() + 1);
  }
  if (read < 2 || !text.empty() || version.major < 1 || version.minor < 0 || version.patch < 0) {
    return std::nullopt;
  }
  return version;
}

// The scheduler's image is of the cluster's version.
absl::Status ReadKubernetes(ManifestsRequest* request) {
  const std::string& given = request->flags.kubernetes;
  const auto version = ParseVersion(given);
  if (!version) {
    return NotAccepted("--kubernetes", given, "the version of the cluster, such as 1.37.2");
  }
  if (version->major == 1 && version->minor < 29) {
    return Refuse(fmt::format(
        "--kubernetes {}: native sidecars, by which agents start before the scheduler and stop "
        "after it, exist from Kubernetes 1.29 on (tested from 1.33 on): upgrade the cluster, or "
        "run the agents beside the scheduler by hand (docs/connect.md)",
        given));
  }
  const bool has_policy =
      std::any_of(request->annotators.begin(), request->annotators.end(),
                  [](const Annotator* annotator) { return annotator->reads_metrics; }) ||
      std::any_of(request->processes.begin(), request->processes.end(),
                  [](const AgentProcess& process) { return Contains(process, "devices"); });
  if (has_policy && version->major == 1 && version->minor < 30) {
    return Refuse(fmt::format(
        "--kubernetes {}: devices and annotate-usage come with a ValidatingAdmissionPolicy, which "
        "exists from Kubernetes 1.30 on: upgrade the cluster, or leave them out",
        given));
  }
  request->kube_scheduler_image = fmt::format("registry.k8s.io/kube-scheduler:v{}.{}.{}",
                                              version->major, version->minor, version->patch);
  return absl::OkStatus();
}

// Names and labels of objects are made of it, and those of controllers are taken.
absl::Status CheckSchedulerName(const std::string& name) {
  constexpr size_t kMost = 50;
  if (name.size() <= kMost && !name.starts_with("outrigger-")) {
    return CheckObjectName("--scheduler-name", name);
  }
  return NotAccepted("--scheduler-name", name,
                     fmt::format("at most {} characters that do not begin with outrigger-", kMost));
}

absl::Status CheckFlags(const ManifestsFlags& flags) {
  constexpr int64_t kMostReplicas = 10;
  if (flags.replicas < 1 || flags.replicas > kMostReplicas) {
    return NotAccepted("--replicas", std::to_string(flags.replicas),
                       fmt::format("a number from 1 to {}", kMostReplicas));
  }
  const auto is_odd = [](unsigned char c) { return c <= ' ' || c == '"' || c == '\'' || c >= 127; };
  if (flags.image.empty() || std::any_of(flags.image.begin(), flags.image.end(), is_odd)) {
    return NotAccepted("--image", flags.image,
                       "an image such as registry.example/kube-sched-ext-{agents}:0.0");
  }
  if (!flags.alone && flags.scheduler_name == kDefaultScheduler) {
    return Refuse(fmt::format(
        "--scheduler-name {0}: the cluster's own scheduler has this name, and two would place the "
        "same pods; give another name, or add the agents to the cluster's own by `outrigger "
        "scheduler-config`",
        kDefaultScheduler));
  }
  if (flags.alone && flags.in) {
    return Refuse("--in and --alone: without a scheduler there is no configuration; give one");
  }
  absl::Status status = CheckObjectName("--namespace", flags.name_space);
  if (status.ok() && flags.scheduler_name_given) {
    status = CheckSchedulerName(flags.scheduler_name);
  }
  return status;
}

}  // namespace

std::vector<std::string> AgentProcess::Names() const {
  std::vector<std::string> names;
  names.reserve(agents.size());
  for (const AgentInfo* agent : agents) names.push_back(agent->name);
  return names;
}

std::string AgentProcess::Name() const {
  return fmt::format("{}", fmt::join(Names(), "-"));
}

absl::StatusOr<ManifestsRequest> ReadManifestsRequest(const ManifestsFlags& flags,
                                                      const std::vector<AgentInfo>& registry,
                                                      const LeftOutAgents& left_out) {
  ManifestsRequest request{.flags = flags};
  absl::Status status = CheckFlags(flags);
  if (status.ok()) status = ReadNames(flags, registry, left_out, &request);
  if (status.ok()) status = ReadKubernetes(&request);
  if (!status.ok()) return status;
  request.scheduler_name = flags.scheduler_name;
  if (request.scheduler_name.empty()) {
    request.scheduler_name = flags.alone ? kDefaultScheduler : std::string(kOwnName);
  }
  if (request.processes.empty() && (flags.in || flags.scheduler_name_given)) {
    return Refuse("--in and --scheduler-name are for agents: name one, or leave them out");
  }
  if (flags.alone) {
    status = PlanAlone(&request);
  } else if (!request.processes.empty()) {
    status = WriteConfig(registry, left_out, &request);
  }
  if (!status.ok()) return status;
  return request;
}

std::string ManifestFileName(const ManifestsRequest& request) {
  if (request.service_account) return std::string(kServiceAccount) + ".yaml";
  std::string name = request.flags.alone || request.processes.empty() ? "controller" : "extender";
  for (const AgentProcess& process : request.processes) {
    for (const std::string& agent : process.Names()) name += "." + agent;
  }
  for (const Annotator* annotator : request.annotators) name += "." + std::string(annotator->name);
  return name + ".yaml";
}

}  // namespace outrigger::cli::manifests
