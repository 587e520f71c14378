#include "cli/doctor/case.h"

#include <algorithm>
#include <utility>

#include "yaml-cpp/yaml.h"

namespace outrigger::cli {

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
    if (entry.Calls(agent)) found.push_back(&entry);
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

std::optional<std::string> DoctorCase::Given(const AgentInfo& agent,
                                             std::string_view setting) const {
  const auto group = std::find_if(
      told.begin(), told.end(), [&agent](const SettingGroup& one) { return one.agent == &agent; });
  if (group == told.end() || !group->values.given().contains(setting)) return std::nullopt;
  return Told(agent, setting);
}

namespace {

// With a list of agents it is known which ones answer at merged paths.
void NameMerged(const std::vector<SettingGroup>& groups, std::vector<Entry>* entries) {
  if (groups[0].server->agents.empty()) return;
  std::vector<const AgentInfo*> served;
  for (const SettingGroup& group : groups) {
    if (group.agent != nullptr) served.push_back(group.agent);
  }
  for (Entry& entry : *entries) {
    if (!entry.ours || entry.agent != nullptr) continue;
    if (served.size() == 1) {
      entry.agent = served[0];
    } else {
      entry.together = served;
    }
  }
}

}  // namespace

absl::StatusOr<DoctorCase> MakeCase(const YAML::Node& root, const std::vector<SettingGroup>& told,
                                    const LeftOutAgents& left_out) {
  auto paths = ServedPaths(told);
  if (!paths.ok()) return paths.status();
  const MapReader reader(root, Place{"", root.Mark().line + 1});
  auto entries = ReadEntries(reader, told, left_out, *paths);
  NameMerged(told, &entries);
  DoctorCase found{reader, reader.List("profiles"), std::move(entries), *std::move(paths), told};
  found.facts = FactsOf(reader, found.entries, found.Agents());
  return found;
}

}  // namespace outrigger::cli
