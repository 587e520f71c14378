#include "cli/agents/rbac.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/format/yaml.h"
#include "fmt/format.h"
#include "kube/pod_group_kinds.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

// A reflector needs these two and no `get`.
const std::vector<std::string> kFollow = {"list", "watch"};

/// Joins rules about one resource.
class Rules {
 public:
  void Add(const AccessRule& rule) {
    auto& verbs = rules_[{rule.api_group, rule.resource}];
    verbs.insert(rule.verbs.begin(), rule.verbs.end());
  }
  std::vector<AccessRule> Take() const {
    std::vector<AccessRule> all;
    for (const auto& [what, verbs] : rules_) {
      all.push_back({what.first, what.second, {verbs.begin(), verbs.end()}});
    }
    return all;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::set<std::string>> rules_;
};

AccessRule Follow(const kube::Resource& resource) {
  return {std::string(resource.group), std::string(resource.plural), kFollow};
}

void AddFollowed(const Needs& needs, Rules* rules) {
  if (needs.AnyOfCluster()) rules->Add(Follow(kube::kNodes));
  if (needs.Has(Needs::kClusterPods)) rules->Add(Follow(kube::kPods));
  if (needs.Has(Needs::kClusterBudgets)) rules->Add(Follow(kube::kDisruptionBudgets));
  if (needs.Has(Needs::kClusterClaims)) {
    rules->Add(Follow(kube::kVolumes));
    rules->Add(Follow(kube::kVolumeClaims));
    rules->Add(Follow(kube::kDeviceClaims));
    rules->Add(Follow(kube::kDeviceClasses));
  }
  const bool groups = needs.Has(Needs::kClusterGroups);
  if (groups || needs.Has(Needs::kClusterPriorityClasses)) {
    rules->Add(Follow(kube::kPriorityClasses));
  }
  if (!groups) return;
  for (const kube::PodGroupKind& kind : kube::kPodGroupKinds) rules->Add(Follow(kind.resource));
}

Json ObjectMeta(const std::string& name) {
  return {{"name", name}, {"labels", {{"app.kubernetes.io/part-of", "outrigger"}}}};
}

Json ServiceAccount(const std::string& name, const std::string& name_space) {
  Json metadata = ObjectMeta(name);
  metadata["namespace"] = name_space;
  return {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata}};
}

Json ClusterRole(const std::string& name, const std::vector<AccessRule>& access) {
  Json role = {{"apiVersion", "rbac.authorization.k8s.io/v1"},
               {"kind", "ClusterRole"},
               {"metadata", ObjectMeta(name)},
               {"rules", Json::array()}};
  for (const AccessRule& rule : access) {
    role["rules"].push_back(
        {{"apiGroups", {rule.api_group}}, {"resources", {rule.resource}}, {"verbs", rule.verbs}});
  }
  return role;
}

Json ClusterRoleBinding(const std::string& name, const std::string& account,
                        const std::string& name_space) {
  return {
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "ClusterRoleBinding"},
      {"metadata", ObjectMeta(name)},
      {"roleRef",
       {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", name}}},
      {"subjects",
       Json::array({{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", name_space}}})}};
}

// What RFC 1123 and Kubernetes ask of a label, which both names must be.
bool IsDnsLabel(const std::string& text) {
  const auto is_inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= 63 && std::all_of(text.begin(), text.end(), is_inner) &&
         text.front() != '-' && text.back() != '-';
}

absl::Status CheckName(std::string_view flag, const std::string& text) {
  if (IsDnsLabel(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: \"{}\" is not accepted: lower-case letters, digits and '-', at most 63", flag, text));
}

}  // namespace

absl::StatusOr<std::vector<AccessRule>> AccessOf(const AgentInfo& agent) {
  const auto made = agent.factory.make({.name = agent.name}, agent.factory.settings.Defaults());
  if (!made.ok()) return made.status();
  Rules rules;
  AddFollowed((*made)->Reads(), &rules);
  for (const AccessRule& rule : agent.factory.access) rules.Add(rule);
  return rules.Take();
}

absl::StatusOr<std::string> RbacText(const AgentsFlags& flags,
                                     const std::vector<AgentInfo>& registry,
                                     const LeftOutAgents& left_out) {
  if (flags.name.empty()) {
    return absl::InvalidArgumentError(
        "--rbac takes the name of one agent, or those of one process: outrigger agents --rbac "
        "NAME[,NAME]");
  }
  if (flags.output == "json") {
    return absl::InvalidArgumentError(
        "--output: \"json\" is not accepted with --rbac, which prints YAML for kubectl apply");
  }
  const auto agents = ChooseAgents(flags.name, registry, left_out);
  if (!agents.ok()) return agents.status();
  Rules rules;
  std::string role = "outrigger";
  for (const AgentInfo* agent : *agents) {
    const auto access = AccessOf(*agent);
    if (!access.ok()) return access.status();
    for (const AccessRule& rule : *access) rules.Add(rule);
    role += "-" + agent->name;
  }
  const std::string account = flags.service_account.empty() ? role : flags.service_account;
  absl::Status status = CheckName("--namespace", flags.name_space);
  if (status.ok()) status = CheckName("--service-account", account);
  if (!status.ok()) return status;
  return YamlFromJson(ServiceAccount(account, flags.name_space)) + "---\n" +
         YamlFromJson(ClusterRole(role, rules.Take())) + "---\n" +
         YamlFromJson(ClusterRoleBinding(role, account, flags.name_space));
}

}  // namespace outrigger::cli
