#include "cli/agents/agents.h"

#include <algorithm>
#include <array>

#include "cli/agents/rbac.h"
#include "console/format/text.h"
#include "console/format/yaml.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

const SettingGroup& GroupOf(const std::vector<SettingGroup>& groups, const AgentInfo& agent) {
  return *std::find_if(groups.begin(), groups.end(),
                       [&](const SettingGroup& group) { return group.agent == &agent; });
}

std::string Table(const std::vector<const AgentInfo*>& agents) {
  std::vector<std::vector<std::string>> rows = {{"NAME", "VERBS", "PORT", "SETTINGS", "SUMMARY"}};
  for (const AgentInfo* agent : agents) {
    rows.push_back({agent->name, Joined(VerbsOf(*agent)), std::to_string(agent->port),
                    std::to_string(agent->factory.settings.specs().size()), agent->summary});
  }
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += row.back() + "\n";
  }
  return text;
}

// A number or truth value as itself, so that readers need not guess.
Json Typed(const SettingSpec& spec) {
  if (spec.type == "boolean" || spec.type == "integer" || spec.type == "number") {
    return Json::parse(spec.default_text);
  }
  return spec.default_text;
}

Json SettingJson(const BoundSetting& setting) {
  Json json = {{"name", setting.spec.name},
               {"type", setting.spec.type},
               {"default", Typed(setting.spec)},
               {"accepted", setting.spec.accepted},
               {"help", setting.spec.help},
               {"flag", setting.flag},
               {"env", setting.env},
               {"key", setting.key}};
  if (!setting.spec.legacy_env.empty()) json["legacyEnv"] = setting.spec.legacy_env;
  return json;
}

Json AccessJson(const AccessRule& rule) {
  Json json = {{"apiGroup", rule.api_group}, {"resource", rule.resource}, {"verbs", rule.verbs}};
  if (!rule.names.empty()) json["names"] = rule.names;
  if (rule.in_own_namespace) json["inOwnNamespace"] = true;
  return json;
}

Json MetricJson(const MetricSpec& metric) {
  static constexpr std::array<const char*, 3> kKinds = {"counter", "gauge", "histogram"};
  Json json = {{"name", metric.name},
               {"kind", kKinds.at(static_cast<size_t>(metric.kind))},
               {"help", metric.help}};
  if (!metric.label.empty()) json["label"] = metric.label;
  return json;
}

absl::StatusOr<Json> AgentJson(const AgentInfo& agent, const SettingGroup& group) {
  const auto paths = PathsOf(agent);
  if (!paths.ok()) return paths.status();
  Json json = {{"name", agent.name},
               {"summary", agent.summary},
               {"port", agent.port},
               {"verbs", VerbsOf(agent)}};
  json["paths"] = Json::array();
  for (const AgentPath& path : *paths) {
    json["paths"].push_back({{"path", path.path}, {"verb", path.verb}});
  }
  const auto access = AccessOf(agent, agent.factory.settings.Defaults());
  if (!access.ok()) return access.status();
  json["access"] = Json::array();
  for (const AccessRule& rule : *access) {
    json["access"].push_back(AccessJson(rule));
  }
  json["metrics"] = Json::array();
  for (const MetricSpec& metric : agent.factory.metrics) {
    json["metrics"].push_back(MetricJson(metric));
  }
  json["settings"] = Json::array();
  for (const BoundSetting& setting : group.settings) {
    json["settings"].push_back(SettingJson(setting));
  }
  return json;
}

// "podgroups.scheduling.x-k8s.io/status", as kubectl writes it: several groups have podgroups.
std::string ResourceText(const AccessRule& rule) {
  if (rule.api_group.empty()) return rule.resource;
  const size_t slash = std::min(rule.resource.find('/'), rule.resource.size());
  return rule.resource.substr(0, slash) + "." + rule.api_group + rule.resource.substr(slash);
}

absl::StatusOr<std::string> Detail(const AgentInfo& agent, const SettingGroup& group) {
  const auto paths = PathsOf(agent);
  if (!paths.ok()) return paths.status();
  std::string text = fmt::format("{}: {}\n\nVerbs  {}\nPort   {}\nPaths\n", agent.name,
                                 agent.summary, Joined(VerbsOf(agent)), agent.port);
  for (const AgentPath& path : *paths) {
    text += fmt::format("  POST {}{}\n", path.path,
                        path.path.ends_with("/" + path.verb) ? "" : "  (" + path.verb + ")");
  }
  const auto access = AccessOf(agent, agent.factory.settings.Defaults());
  if (!access.ok()) return access.status();
  text += access->empty() ? "API server\n  nothing\n" : "API server  (--rbac prints the objects)\n";
  for (const AccessRule& rule : *access) {
    text += fmt::format("  {} {}{}{}\n", Joined(rule.verbs), ResourceText(rule),
                        rule.names.empty() ? "" : " " + Joined(rule.names),
                        rule.in_own_namespace ? "  (in its own namespace)" : "");
  }
  text += "Settings\n";
  for (const BoundSetting& setting : group.settings) {
    const SettingSpec& spec = setting.spec;
    text += fmt::format("  {}  ({}; default {})\n      {}\n      {}, file {}{}\n", setting.flag,
                        spec.accepted, spec.default_text.empty() ? "empty" : spec.default_text,
                        spec.help, setting.env, setting.key,
                        spec.legacy_env.empty() ? "" : ", formerly " + spec.legacy_env);
  }
  return text;
}

}  // namespace

std::vector<std::string> VerbsOf(const AgentInfo& agent) {
  std::vector<std::string> verbs;
  if (agent.factory.filters) verbs.emplace_back("filter");
  if (agent.factory.scores) verbs.emplace_back("prioritize");
  if (agent.factory.TakesBindCalls()) verbs.emplace_back("bind");
  if (agent.factory.preempts) verbs.emplace_back("preempt");
  return verbs;
}

absl::StatusOr<std::string> AgentsText(const AgentsFlags& flags,
                                       const std::vector<AgentInfo>& registry,
                                       const LeftOutAgents& left_out) {
  if (flags.name.find(',') != std::string::npos) {
    return absl::InvalidArgumentError(
        "outrigger agents takes at most one name; without one it lists all");
  }
  std::vector<const AgentInfo*> chosen;
  if (!registry.empty() || !flags.name.empty()) {
    const auto agents = ChooseAgents(flags.name, registry, left_out);
    if (!agents.ok()) return agents.status();
    chosen = *agents;
  }
  const std::vector<SettingGroup> groups = MakeSettingGroups(registry);
  if (flags.output == "table") {
    if (flags.name.empty()) return Table(chosen);
    return Detail(*chosen[0], GroupOf(groups, *chosen[0]));
  }
  Json list = Json::array();
  for (const AgentInfo* agent : chosen) {
    auto json = AgentJson(*agent, GroupOf(groups, *agent));
    if (!json.ok()) return json.status();
    list.push_back(*std::move(json));
  }
  const Json& shown = flags.name.empty() ? list : list[0];
  return flags.output == "json" ? shown.dump(2) + "\n" : YamlFromJson(shown);
}

}  // namespace outrigger::cli
