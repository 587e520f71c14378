#include "cli/doctor/only_groups.h"

#include <algorithm>
#include <vector>

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

}  // namespace outrigger::cli
