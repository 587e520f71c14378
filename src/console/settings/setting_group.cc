#include "console/settings/setting_group.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "console/format/text.h"

namespace outrigger::cli {
namespace {

SettingNames NamesOf(const std::string& name, const std::string& agent) {
  if (agent.empty()) return {"--" + name, "OUTRIGGER_" + UpperCase(name), CamelCase(name)};
  return {"--" + agent + "." + name, "OUTRIGGER_" + UpperCase(agent) + "_" + UpperCase(name),
          agent + "." + CamelCase(name)};
}

BoundSetting Bind(SettingSpec spec, const std::string& agent, void* target) {
  BoundSetting bound{NamesOf(spec.name, agent), {}, {}, nullptr};
  if (!spec.former_switch.empty()) bound.former_switch = NamesOf(spec.former_switch, agent);
  bound.spec = std::move(spec);
  bound.target = target;
  return bound;
}

// The agent may ask whether the setting was set at all. An older program's variable sets it
// whatever it says: to the default where that is not accepted.
SettingSpec Marked(SettingSpec spec, const SettingsValues& values) {
  const auto marked = [&spec, &values](const auto& parse, bool even_if_refused) {
    return [parse, name = spec.name, values, even_if_refused](void* target, std::string_view text) {
      absl::Status status = parse(target, text);
      if (status.ok() || even_if_refused) values.MarkGiven(name);
      return status;
    };
  };
  spec.parse = marked(spec.parse, false);
  spec.parse_legacy = marked(spec.parse_legacy, true);
  return spec;
}

SettingSpec WeightSpec() {
  SettingSpec spec;
  spec.name = "weight";
  spec.type = "number";
  spec.default_text = "1";
  spec.accepted = "a number above 0";
  spec.help = "weight of the agent's scores where agents are merged (POST /prioritize)";
  spec.shared_by = "agents that score";
  spec.parse = [accepted = spec.accepted](void* target, std::string_view text) {
    double weight = 0;
    absl::Status status = internal::ParseSetting(text, accepted, &weight);
    if (!status.ok() || weight <= 0) return internal::NotAccepted(accepted);
    *static_cast<double*>(target) = weight;
    return absl::OkStatus();
  };
  spec.parse_legacy = spec.parse;
  spec.print = [](const void* target) {
    return internal::PrintSetting(*static_cast<const double*>(target));
  };
  return spec;
}

}  // namespace

std::vector<std::string> BoundSetting::Choices() const {
  constexpr std::string_view kPrefix = "one of ";
  std::vector<std::string> words;
  if (spec.type != "text" || !spec.accepted.starts_with(kPrefix)) return words;
  std::string_view rest = std::string_view(spec.accepted).substr(kPrefix.size());
  while (true) {
    const size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    if (bar == std::string_view::npos) return words;
    rest.remove_prefix(bar + 1);
  }
}

std::string SettingGroup::GivenBy(std::string_view flag) const {
  const auto found =
      std::find_if(settings.begin(), settings.end(),
                   [flag](const BoundSetting& setting) { return setting.flag == flag; });
  return found == settings.end() ? "" : found->given_by;
}

std::string SettingGroup::Title() const {
  return agent == nullptr ? "server" : "agent " + agent->name;
}

std::vector<SettingGroup> MakeSettingGroups(const std::vector<AgentInfo>& registry) {
  std::vector<SettingGroup> groups(1);
  groups[0].server = std::make_shared<ServerSettings>();
  for (SettingSpec& spec : ServerSpecs()) {
    groups[0].settings.push_back(
        Bind(Marked(std::move(spec), groups[0].values), "", groups[0].server.get()));
  }
  for (const Retired& retired : ServerSettings::kRetired) {
    groups[0].retired.push_back({NamesOf(std::string(retired.name), ""), retired});
  }
  for (const AgentInfo& agent : registry) {
    SettingGroup group;
    group.agent = &agent;
    group.values = agent.factory.settings.Defaults();
    group.weight = std::make_shared<double>(1);
    for (const SettingSpec& spec : agent.factory.settings.specs()) {
      group.settings.push_back(Bind(Marked(spec, group.values), agent.name, group.values.get()));
    }
    for (const Retired& retired : agent.factory.settings.retired()) {
      group.retired.push_back({NamesOf(std::string(retired.name), agent.name), retired});
    }
    for (const SettingSpec& former : agent.factory.settings.former()) {
      group.retired.push_back({NamesOf(former.name, agent.name),
                               {former.name, former.default_text, former.help},
                               former,
                               group.values.get()});
    }
    const bool has_weight =
        std::none_of(group.retired.begin(), group.retired.end(),
                     [](const RetiredSetting& retired) { return retired.spec.name == "weight"; });
    if (has_weight) {
      group.settings.push_back(Bind(WeightSpec(), agent.name, group.weight.get()));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace outrigger::cli
