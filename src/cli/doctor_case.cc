#include "cli/doctor_case.h"

#include <algorithm>

#include "fmt/format.h"

namespace outrigger::cli {

std::string_view FieldNameOf(EntryVerb verb) {
  constexpr std::string_view kNames[] = {"filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb"};
  return kNames[verb];
}

std::string_view NameOf(EntryVerb verb) {
  constexpr std::string_view kNames[] = {"filter", "preempt", "prioritize", "bind"};
  return kNames[verb];
}

bool HasVerb(const AgentInfo& agent, EntryVerb verb) {
  const AgentFactory& factory = agent.factory;
  const bool has[] = {factory.filters, factory.preempts, factory.scores, factory.binds};
  return has[verb];
}

std::string Entry::PathOf(EntryVerb verb) const {
  return (url ? url->path : "") + "/" + verbs[verb].value;
}

std::string Entry::Title() const {
  return fmt::format("{} ({})", place().path, url_text.value);
}

std::vector<const AgentInfo*> DoctorCase::Agents() const {
  std::vector<const AgentInfo*> agents;
  for (const SettingGroup& group : told) {
    if (group.agent != nullptr && !EntriesOf(*group.agent).empty()) agents.push_back(group.agent);
  }
  return agents;
}

std::vector<const Entry*> DoctorCase::EntriesOf(const AgentInfo& agent) const {
  std::vector<const Entry*> found;
  for (const Entry& entry : entries) {
    if (entry.agent == &agent) found.push_back(&entry);
  }
  return found;
}

std::optional<std::string> DoctorCase::Told(const AgentInfo& agent,
                                            std::string_view setting) const {
  for (const SettingGroup& group : told) {
    if (group.agent != &agent) continue;
    for (const BoundSetting& bound : group.settings) {
      if (bound.spec.name == setting) return bound.spec.print(bound.target);
    }
  }
  return std::nullopt;
}

}  // namespace outrigger::cli
