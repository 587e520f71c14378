#include "cli/look/leading_pod.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_join.h"
#include "console/format/text.h"
#include "fmt/format.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli::look {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kLabel = "app.kubernetes.io/name=outrigger";
constexpr const char* kSystem = "kube-system";
constexpr std::string_view kRunning = "Running";

/// A container of the program.
struct Container {
  std::vector<std::string> agents;
  uint16_t admin_port = 0;

  bool Has(std::string_view agent) const {
    return std::find(agents.begin(), agents.end(), agent) != agents.end();
  }
  bool Plans() const { return Has("gang") || Has("qos"); }
};

struct Pod {
  std::string name;
  std::string deployment;
  std::string phase;
  std::vector<Container> containers;
};

/// A container of a pod that runs.
struct Choice {
  std::string pod;
  std::string deployment;
  Container container;

  std::string Text() const {
    return Printable(
        fmt::format("{} (Deployment {})", absl::StrJoin(container.agents, ","), deployment));
  }
};

// Null where `json` has no such field.
const Json& FieldOf(const Json& json, const char* name) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(name);
  return found == json.end() ? kNull : *found;
}

std::string TextOf(const Json& json) {
  return json.is_string() ? json.get<std::string>() : "";
}

// The agents that the arguments of a container name: serve --agents=gang,qos.
std::vector<std::string> AgentsOf(const Json& args) {
  constexpr std::string_view kAgents = "--agents";
  std::vector<std::string> words;
  for (const Json& word : args) words.push_back(TextOf(word));
  if (words.size() >= 2 && words[0] == "annotate") return {"annotate-" + words[1]};
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with(kAgents)) continue;
    if (word == kAgents && i + 1 < words.size()) return SplitList(words[i + 1]);
    if (word.substr(kAgents.size()).starts_with('=')) {
      return SplitList(word.substr(kAgents.size() + 1));
    }
  }
  return {};
}

uint16_t AdminPortOf(const Json& ports) {
  for (const Json& port : ports) {
    const Json& number = FieldOf(port, "containerPort");
    if (!TextOf(FieldOf(port, "name")).starts_with("admin-") || !number.is_number_integer())
      continue;
    const auto value = number.get<int64_t>();
    if (value > 0 && value <= UINT16_MAX) return static_cast<uint16_t>(value);
  }
  return 0;
}

Pod PodOf(const Json& json) {
  const Json& meta = FieldOf(json, "metadata");
  Pod pod{.name = TextOf(FieldOf(meta, "name")),
          .deployment = TextOf(FieldOf(FieldOf(meta, "labels"), "app.kubernetes.io/instance")),
          .phase = FieldOf(meta, "deletionTimestamp").is_null()
                       ? TextOf(FieldOf(FieldOf(json, "status"), "phase"))
                       : "Terminating",
          .containers = {}};
  const Json& spec = FieldOf(json, "spec");
  for (const char* const field : {"initContainers", "containers"}) {
    for (const Json& container : FieldOf(spec, field)) {
      Container read{AgentsOf(FieldOf(container, "args")),
                     AdminPortOf(FieldOf(container, "ports"))};
      if (read.admin_port != 0 && !read.agents.empty()) pod.containers.push_back(std::move(read));
    }
  }
  return pod;
}

absl::StatusOr<std::vector<Pod>> ReadPods(kube::Api& api, const SoughtAgents& sought,
                                          const kube::CallOptions& options) {
  kube::ListOptions of_agents;
  of_agents.label_selector = kLabel;
  const auto list = kube::List(api, kube::kPods, sought.name_space, of_agents, options);
  if (!list.ok()) return list.status();
  std::vector<Pod> pods;
  for (const std::string& item : list->items) {
    Pod pod = PodOf(Json::parse(item, nullptr, /*allow_exceptions=*/false));
    if (sought.deployment.empty() || pod.deployment == sought.deployment) {
      pods.push_back(std::move(pod));
    }
  }
  return pods;
}

// Without pods that run.
absl::Status NoneRuns(const std::vector<Pod>& pods, const SoughtAgents& sought) {
  const std::string& name_space = sought.name_space;
  if (pods.empty()) {
    return absl::NotFoundError(Printable(fmt::format(
        "no pod {}in namespace {} has the label {}: give the namespace of the agents "
        "(--namespace), or install them: outrigger manifests gang qos | kubectl apply -f -. For an "
        "agent that was installed otherwise: kubectl port-forward to its admin port",
        sought.deployment.empty() ? "" : fmt::format("of Deployment {} ", sought.deployment),
        name_space, kLabel)));
  }
  const auto has_agents = std::find_if(pods.begin(), pods.end(),
                                       [](const Pod& pod) { return !pod.containers.empty(); });
  const Pod& pod = has_agents == pods.end() ? pods[0] : *has_agents;
  const std::string why =
      pod.phase == kRunning
          ? fmt::format("pod {} runs, but none of its containers has --agents and a port admin-...",
                        pod.name)
          : fmt::format("pod {} is {}", pod.name, pod.phase);
  return absl::UnavailableError(
      Printable(fmt::format("no agent runs in namespace {}: {}; see why: kubectl -n {} describe "
                            "pod {}",
                            name_space, why, name_space, pod.name)));
}

std::vector<Choice> ChoicesOf(const std::vector<Pod>& pods) {
  std::vector<Choice> choices;
  for (const Pod& pod : pods) {
    if (pod.phase != kRunning) continue;
    for (const Container& container : pod.containers) {
      choices.push_back({pod.name, pod.deployment, container});
    }
  }
  return choices;
}

// Replicas have the same text.
std::string TextOf(const std::vector<Choice>& choices) {
  std::set<std::string> texts;
  for (const Choice& choice : choices) texts.insert(choice.Text());
  return absl::StrJoin(texts, ", ");
}

// Those with all agents that are wanted; where none is, those that plan come first.
std::vector<Choice> Wanted(const std::vector<Choice>& choices,
                           const std::vector<std::string>& agents) {
  std::vector<Choice> wanted;
  for (const Choice& choice : choices) {
    const bool has_all = std::all_of(agents.begin(), agents.end(), [&](const std::string& agent) {
      return choice.container.Has(agent);
    });
    if (agents.empty() ? choice.container.Plans() : has_all) wanted.push_back(choice);
  }
  return wanted.empty() && agents.empty() ? choices : wanted;
}

// One container of each of the pods of one Deployment. While that is rolled out, they may differ in
// agents and ports: a Lease says which counts.
absl::StatusOr<std::vector<Choice>> Choose(const std::vector<Pod>& pods,
                                           const SoughtAgents& sought) {
  const std::vector<Choice> all = ChoicesOf(pods);
  if (all.empty()) return NoneRuns(pods, sought);
  std::vector<Choice> wanted = Wanted(all, sought.agents);
  if (wanted.empty()) {
    return absl::NotFoundError(
        Printable(fmt::format("no container in namespace {} runs {}; there are: {}",
                              sought.name_space, Listed(sought.agents), TextOf(all))));
  }
  std::set<std::string> deployments;
  std::set<std::string> names;
  for (const Choice& choice : wanted) {
    deployments.insert(choice.deployment);
    names.insert(choice.pod);
  }
  const bool is_one_deployment = deployments.size() == 1;
  if (is_one_deployment && names.size() == wanted.size()) return wanted;
  return absl::InvalidArgumentError(fmt::format(
      "several containers in namespace {} {}: {}; choose one by {}", Printable(sought.name_space),
      sought.agents.empty() ? "run agents" : fmt::format("run {}", Listed(sought.agents)),
      TextOf(wanted), is_one_deployment ? "--agents" : "--agents and --deployment"));
}

/// A Lease that one of the pods holds.
struct HeldLease {
  std::string name;  // "kube-system/outrigger"
  Choice holder;
  size_t rank = 0;  // the least is the one that counts
};

// Leases by their names, those first whose holder has the pages of the container: kube-scheduler's,
// which has the name of the Deployment, and those of the agents.
std::vector<std::string> LeaseNames(const Choice& choice) {
  if (choice.container.Plans()) return {choice.deployment, "outrigger-gang"};
  std::vector<std::string> names;
  for (const std::string& agent : choice.container.agents) names.push_back("outrigger-" + agent);
  names.push_back(choice.deployment);
  return names;
}

absl::Status ReadLeases(kube::Api& api, const std::string& name_space,
                        const std::vector<Choice>& choices, const kube::CallOptions& options,
                        std::vector<HeldLease>* held) {
  const auto list = kube::List(api, kube::kLeases, name_space, {}, options);
  if (!list.ok()) return list.status();
  for (const std::string& item : list->items) {
    const Json lease = Json::parse(item, nullptr, /*allow_exceptions=*/false);
    const std::string name = TextOf(FieldOf(FieldOf(lease, "metadata"), "name"));
    // "outrigger-5d9c_0a1b...": the pod's name and a random part.
    const std::string holder = TextOf(FieldOf(FieldOf(lease, "spec"), "holderIdentity"));
    const std::string pod = holder.substr(0, holder.find('_'));
    const auto holds = std::find_if(choices.begin(), choices.end(),
                                    [&](const Choice& choice) { return choice.pod == pod; });
    if (holds == choices.end()) continue;
    const std::vector<std::string> names = LeaseNames(*holds);
    const auto rank = std::find(names.begin(), names.end(), name) - names.begin();
    held->push_back({fmt::format("{}/{}", name_space, name), *holds, static_cast<size_t>(rank)});
  }
  return absl::OkStatus();
}

absl::Status NobodyLeads(const std::vector<Choice>& choices, const std::string& name_space) {
  std::vector<std::string> pods;
  pods.reserve(choices.size());
  for (const Choice& choice : choices) pods.push_back(choice.pod);
  return absl::UnavailableError(Printable(fmt::format(
      "none of the pods {} leads: none holds a Lease in namespace {}. Wait 15 s and try again; if "
      "that does not help, see what holds the Leases and what the pods log: kubectl -n {} get "
      "leases; kubectl -n {} logs {} --all-containers",
      Listed(pods), name_space, name_space, name_space, pods[0])));
}

LeadingPod LeadingPodOf(const Choice& choice, const std::string& name_space, std::string lease) {
  return {.name_space = name_space,
          .pod = choice.pod,
          .deployment = choice.deployment,
          .agents = choice.container.agents,
          .admin_port = choice.container.admin_port,
          .lease = std::move(lease)};
}

}  // namespace

std::string LeadingPod::Text() const {
  return Printable(fmt::format("{} in pod {}/{}", absl::StrJoin(agents, ","), name_space, pod));
}

absl::StatusOr<LeadingPod> FindLeadingPod(kube::Api& api, const SoughtAgents& sought,
                                          const kube::CallOptions& options) {
  const auto pods = ReadPods(api, sought, options);
  if (!pods.ok()) return pods.status();
  const auto choices = Choose(*pods, sought);
  if (!choices.ok()) return choices.status();
  const std::string& name_space = sought.name_space;
  std::vector<HeldLease> held;
  absl::Status status = ReadLeases(api, name_space, *choices, options, &held);
  if (status.ok() && held.empty() && name_space != kSystem) {
    status = ReadLeases(api, kSystem, *choices, options, &held);
  }
  const bool is_only_one = choices->size() == 1;
  if (!status.ok() && !is_only_one) return status;
  if (held.empty() && !is_only_one) return NobodyLeads(*choices, name_space);
  if (held.empty()) return LeadingPodOf(choices->front(), name_space, "");
  const auto best =
      std::min_element(held.begin(), held.end(),
                       [](const HeldLease& a, const HeldLease& b) { return a.rank < b.rank; });
  return LeadingPodOf(best->holder, name_space, best->name);
}

}  // namespace outrigger::cli::look
