#include "cli/agents/rbac.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>

#include "console/format/yaml.h"
#include "fmt/format.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

// A reflector needs these two and no `get`.
const std::vector<std::string> kFollow = {"list", "watch"};

/// Joins rules about the same objects; those of the agent's own namespace come last.
class Rules {
 public:
  void Add(const AccessRule& rule) {
    Objects about{.in_own_namespace = rule.in_own_namespace,
                  .api_group = rule.api_group,
                  .resource = rule.resource,
                  .names = {rule.names.begin(), rule.names.end()}};
    rules_[std::move(about)].insert(rule.verbs.begin(), rule.verbs.end());
  }
  std::vector<AccessRule> Take() const {
    std::vector<AccessRule> all;
    for (const auto& [about, verbs] : rules_) {
      all.push_back({.api_group = about.api_group,
                     .resource = about.resource,
                     .verbs = {verbs.begin(), verbs.end()},
                     .names = {about.names.begin(), about.names.end()},
                     .in_own_namespace = about.in_own_namespace});
    }
    return all;
  }

 private:
  struct Objects {
    bool in_own_namespace = false;
    std::string api_group;
    std::string resource;
    std::set<std::string> names;
    friend auto operator<=>(const Objects&,
                            const Objects&) = default;  // NOLINT(modernize-use-nullptr)
  };
  std::map<Objects, std::set<std::string>> rules_;
};

AccessRule Follow(const kube::Resource& resource) {
  return {.api_group = std::string(resource.group),
          .resource = std::string(resource.plural),
          .verbs = kFollow};
}

void AddFollowed(const Needs& needs, Rules* rules) {
  if (needs.AnyOfCluster()) rules->Add(Follow(kube::kNodes));
  if (needs.Has(Needs::kClusterPods)) rules->Add(Follow(kube::kPods));
  if (needs.Has(Needs::kClusterBudgets)) rules->Add(Follow(kube::kDisruptionBudgets));
  if (needs.Has(Needs::kClusterClaims)) {
    rules->Add(Follow(kube::kVolumes));
    rules->Add(Follow(kube::kVolumeClaims));
    rules->Add(Follow(kube::kStorageClasses));
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

Json ObjectOfRbac(const char* kind, Json metadata) {
  return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", kind},
          {"metadata", std::move(metadata)}};
}

// A ClusterRole, or with a namespace a Role.
Json RoleOf(const char* kind, Json metadata, const std::vector<AccessRule>& access) {
  Json role = ObjectOfRbac(kind, std::move(metadata));
  role["rules"] = Json::array();
  for (const AccessRule& rule : access) {
    Json json = {{"apiGroups", {rule.api_group}}, {"resources", {rule.resource}}};
    if (!rule.names.empty()) json["resourceNames"] = rule.names;
    json["verbs"] = rule.verbs;
    role["rules"].push_back(std::move(json));
  }
  return role;
}

Json BindingOf(const char* kind, Json metadata, const char* role_kind, const RightsHolder& holder) {
  Json binding = ObjectOfRbac(kind, std::move(metadata));
  binding["roleRef"] = {
      {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", role_kind}, {"name", holder.role}};
  binding["subjects"] = Json::array(
      {{{"kind", "ServiceAccount"}, {"name", holder.account}, {"namespace", holder.name_space}}});
  return binding;
}

// What RFC 1123 and Kubernetes ask of a label, which these names must be.
bool IsDnsLabel(const std::string& text) {
  const auto is_inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= 63 && std::all_of(text.begin(), text.end(), is_inner) &&
         text.front() != '-' && text.back() != '-';
}

/// Where an agent keeps what it has of its own by default; without a namespace it has nothing.
struct StateOf {
  std::string name_space;
  std::string setting;     // that says so
  std::string after = {};  // what follows in it: "/outrigger"
};

StateOf FindState(const AgentInfo& agent, const SettingsValues& values) {
  const std::vector<AccessRule> access = agent.factory.Access(values);
  if (std::none_of(access.begin(), access.end(),
                   [](const AccessRule& rule) { return rule.in_own_namespace; })) {
    return {};
  }
  if (const SettingSpec* const spec = agent.factory.settings.Find("namespace"); spec != nullptr) {
    return {spec->default_text, spec->name};
  }
  const SettingSpec* const lease = agent.factory.settings.Find("lease");
  if (lease == nullptr) return {};
  const size_t slash = std::min(lease->default_text.find('/'), lease->default_text.size());
  return {lease->default_text.substr(0, slash), lease->name, lease->default_text.substr(slash)};
}

// The defaults, but for the mode, and for how classes are replaced.
absl::StatusOr<SettingsValues> ValuesFor(const AgentInfo& agent, const RightsFlags& flags) {
  SettingsValues values = agent.factory.settings.Defaults();
  const SettingSpec* const replacement = agent.factory.settings.Find("replacement");
  if (replacement != nullptr && !flags.replacement.empty()) {
    absl::Status set = replacement->parse(values.get(), flags.replacement);
    if (!set.ok()) return set;
  }
  if (flags.mode.empty()) return values;
  const SettingSpec* const spec = agent.factory.settings.Find("mode");
  if (spec == nullptr && flags.mode == "extender") return values;
  if (spec == nullptr) {
    return absl::InvalidArgumentError(fmt::format(
        "--mode={}: agent {} works only if a scheduler calls it; leave out the flag or the agent",
        flags.mode, agent.name));
  }
  absl::Status set = spec->parse(values.get(), flags.mode);
  if (!set.ok()) return set;
  return values;
}

}  // namespace

absl::StatusOr<std::vector<AccessRule>> AccessOf(const AgentInfo& agent,
                                                 const SettingsValues& values) {
  AgentDeps deps;
  deps.name = agent.name;
  deps.log = deps.warn = [](std::string_view /*line*/) {};  // it is not served
  const auto made = agent.factory.make(deps, values);
  if (!made.ok()) return made.status();
  Rules rules;
  AddFollowed((*made)->Reads(), &rules);
  for (const AccessRule& rule : agent.factory.Access(values)) rules.Add(rule);
  // Where no agent binds, the engine does; after a conflict it reads the pod.
  if (agent.factory.prebinds && !agent.factory.binds) {
    rules.Add({.api_group = "", .resource = "pods", .verbs = {"get"}});
    rules.Add({.api_group = "", .resource = "pods/binding", .verbs = {"create"}});
  }
  return rules.Take();
}

absl::Status CheckObjectName(std::string_view flag, const std::string& text) {
  if (IsDnsLabel(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: \"{}\" is not accepted; expected lower-case letters, digits and '-', at most 63", flag,
      text));
}

std::vector<Json> RbacObjects(const RightsHolder& holder, std::vector<AccessRule> access) {
  const auto own = std::stable_partition(
      access.begin(), access.end(), [](const AccessRule& rule) { return !rule.in_own_namespace; });
  const std::vector<AccessRule> of_namespace(own, access.end());
  access.erase(own, access.end());
  const Json meta = ObjectMeta(holder.role);
  std::vector<Json> objects = {RoleOf("ClusterRole", meta, access),
                               BindingOf("ClusterRoleBinding", meta, "ClusterRole", holder)};
  if (!of_namespace.empty()) {
    Json inner = meta;
    inner["namespace"] = holder.name_space;
    objects.push_back(RoleOf("Role", inner, of_namespace));
    objects.push_back(BindingOf("RoleBinding", inner, "Role", holder));
  }
  return objects;
}

absl::StatusOr<AgentRights> RightsOf(const std::vector<const AgentInfo*>& agents,
                                     const RightsFlags& flags) {
  Rules rules;
  AgentRights rights{.name_space = flags.name_space};
  for (const AgentInfo* agent : agents) {
    const auto values = ValuesFor(*agent, flags);
    if (!values.ok()) return values.status();
    const auto access = AccessOf(*agent, *values);
    if (!access.ok()) return access.status();
    for (const AccessRule& rule : *access) rules.Add(rule);
    const StateOf keeps = FindState(*agent, *values);
    if (rights.name_space.empty()) rights.name_space = keeps.name_space;
    if (keeps.name_space.empty() || keeps.name_space == rights.name_space) continue;
    rights.states.push_back({agent->name, keeps.setting, rights.name_space + keeps.after});
  }
  rights.access = rules.Take();
  return rights;
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
  const auto rights = RightsOf(*agents, {flags.mode, flags.replacement, flags.name_space});
  if (!rights.ok()) return rights.status();
  std::string text;
  for (const AgentRights::State& state : rights->states) {
    text += fmt::format("# Serve with --{}.{}={}: the agent's state is there.\n", state.agent,
                        state.setting, state.value);
  }
  const std::string name_space = rights->name_space.empty() ? "kube-system" : rights->name_space;
  std::string role = "outrigger";
  for (const AgentInfo* agent : *agents) role += "-" + agent->name;
  const std::string account = flags.service_account.empty() ? role : flags.service_account;
  absl::Status status = CheckObjectName("--namespace", name_space);
  if (status.ok() && !flags.service_account.empty()) {
    status = CheckObjectName("--service-account", account);
  }
  if (!status.ok()) return status;
  text += YamlFromJson(ServiceAccount(account, name_space));
  for (const Json& object : RbacObjects({role, account, name_space}, rights->access)) {
    text += "---\n" + YamlFromJson(object);
  }
  return text;
}

}  // namespace outrigger::cli
