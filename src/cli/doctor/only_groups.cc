#include "cli/doctor/only_groups.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// One resource alone, which no node has to have.
bool IsOnlyFor(const Entry& entry, std::string_view resource) {
  const std::vector<MapReader> managed = entry.fields.List("managedResources");
  return !resource.empty() && managed.size() == 1 &&
         managed.front().Text("name").value == resource &&
         managed.front().Truth("ignoredByScheduler").Or(false);
}

}  // namespace

bool IsOnlyForGroups(const Entry& entry, const AgentInfo& agent) {
  const SchedulerWishes& wishes = agent.factory.wishes;
  if (entry.InCycle() && entry.Has(kBindVerb)) return false;
  return IsOnlyFor(entry, entry.InCycle() ? wishes.cycle_resource : wishes.bind_resource);
}

CalledAbout CalledAboutOf(const DoctorCase& found, const AgentInfo& agent) {
  const std::vector<const Entry*> entries = found.EntriesOf(agent);
  const auto all = [&](const auto& is_so) {
    return std::all_of(entries.begin(), entries.end(), is_so);
  };
  if (all([](const Entry* entry) { return entry->managed_resources == 0; })) {
    return CalledAbout::kAllPods;
  }
  return all([&](const Entry* entry) { return IsOnlyForGroups(*entry, agent); })
             ? CalledAbout::kGroups
             : CalledAbout::kOther;
}

void CheckOnlyGroups(const DoctorCase& found, Findings* findings) {
  for (const AgentInfo* agent : found.Agents()) {
    const std::optional<std::string> setting = found.Told(*agent, "only-groups");
    const CalledAbout about = CalledAboutOf(found, *agent);
    if (!setting || about == CalledAbout::kOther) continue;  // reported already
    const Entry& entry = *found.EntriesOf(*agent).front();
    const bool is_set = *setting == "true";
    if (is_set == (about == CalledAbout::kGroups)) continue;
    findings->Add(
        FindingId::kOnlyGroupsApart, entry.place(),
        is_set ? fmt::format("no managedResources; agent {} has only-groups", agent->name)
               : fmt::format("managedResources; agent {} does not have only-groups", agent->name),
        is_set ? fmt::format("what `outrigger scheduler-config --agents {} --only-groups` prints, "
                             "or leave --{}.only-groups out",
                             agent->name, agent->name)
               : fmt::format("set --{}.only-groups", agent->name));
  }
}

}  // namespace outrigger::cli
