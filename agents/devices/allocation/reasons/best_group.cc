#include "devices/allocation/reasons/best_group.h"

#include <algorithm>
#include <map>
#include <utility>

namespace outrigger::devices {

BestGroup FindBestGroup(const DemandData& demand, const Ground& ground,
                        const Alternative& alternative) {
  std::map<std::vector<int32_t>, BestGroup> groups;
  for (size_t i = 0; i < ground.places().size(); ++i) {
    const Ground::Place& place = ground.places()[i];
    if (!alternative.matches->Has(place.run->set)) continue;
    std::vector<int32_t> values;
    for (const int32_t id : alternative.constraints) {
      const Constraint& constraint = demand.constraints[static_cast<size_t>(id)];
      const int32_t value = constraint.values->of[static_cast<size_t>(place.run->set)];
      values.push_back(constraint.distinct && value >= 0 ? 0 : value);
    }
    if (std::find(values.begin(), values.end(), -1) != values.end()) continue;
    BestGroup& group = groups[std::move(values)];
    group.places.push_back(i);
    group.free += place.free;
    group.total += place.run->total;
  }
  BestGroup best;
  for (auto& [values, group] : groups) {
    const bool is_better =
        std::pair(group.free, group.total) > std::pair(best.free, best.total) ||
        (std::pair(group.free, group.total) == std::pair(best.free, best.total) &&
         (best.places.empty() || group.places[0] < best.places[0]));
    if (is_better) best = std::move(group);
  }
  return best;
}

}  // namespace outrigger::devices
