#include "gang/plan/groups.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace outrigger::plan {

GroupedUnits BuildUnits(std::span<const std::shared_ptr<const Pod>> pods,
                        std::span<const PodGroupObject> objects, const GroupOptions& options,
                        Notes* notes) {
  UnitTable table;
  table.Update(pods, objects, options, notes);
  return std::move(table.made());
}

const GroupState* FindGroup(std::span<const GroupState> groups, const Membership& membership) {
  using Name = std::tuple<Dialect, std::string_view, std::string_view>;
  const auto name_of = [](const auto& value) {
    return Name(value.dialect, value.namespace_, value.name);
  };
  const auto at = std::lower_bound(groups.begin(), groups.end(), membership,
                                   [&](const GroupState& group, const Membership& wanted) {
                                     return name_of(group.key) < name_of(wanted);
                                   });
  return at != groups.end() && name_of(at->key) == name_of(membership) ? &*at : nullptr;
}

}  // namespace outrigger::plan
