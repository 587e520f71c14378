#include "devices/allocation/search/value_counts.h"

#include <algorithm>
#include <utility>

namespace outrigger::devices {

void ValueCounts::Count(const DemandData& demand, const Ground& ground, const Takings& takings,
                        const Slot& slot, const Alternative& alternative) {
  all_.clear();
  for (const int32_t id : alternative.constraints) {
    if (!takings.IsUnbound(id)) continue;
    const std::vector<int32_t>& values = demand.constraints[static_cast<size_t>(id)].values->of;
    std::vector<OfValue>& counts = all_.emplace_back(OfConstraint{id, {}}).counts;
    for (size_t i = 0; i < ground.places().size(); ++i) {
      const int64_t available = takings.Available(slot, alternative, i);
      const int32_t value = values[static_cast<size_t>(ground.places()[i].run->set)];
      if (available == 0) continue;
      // Neighbours often have the same.
      if (!counts.empty() && counts.back().value == value) {
        counts.back().count += available;
      } else {
        counts.push_back({value, available});
      }
    }
    Merge(&counts);
  }
}

// Sorts by value, each value once.
void ValueCounts::Merge(std::vector<OfValue>* counts) {
  std::sort(counts->begin(), counts->end(),
            [](const OfValue& a, const OfValue& b) { return a.value < b.value; });
  std::vector<OfValue> merged;
  for (const OfValue& one : *counts) {
    if (!merged.empty() && merged.back().value == one.value) {
      merged.back().count += one.count;
    } else {
      merged.push_back(one);
    }
  }
  *counts = std::move(merged);
}

bool ValueCounts::AreShort(int64_t need) const {
  return std::any_of(all_.begin(), all_.end(), [need](const OfConstraint& one) {
    return std::none_of(one.counts.begin(), one.counts.end(),
                        [need](const OfValue& of) { return of.count >= need; });
  });
}

bool ValueCounts::AreShort(const DemandData& demand, SetId set, int64_t need) const {
  return std::any_of(all_.begin(), all_.end(), [&](const OfConstraint& one) {
    const Constraint& constraint = demand.constraints[static_cast<size_t>(one.constraint)];
    const int32_t value = constraint.values->of[static_cast<size_t>(set)];
    const auto at = std::lower_bound(one.counts.begin(), one.counts.end(), value,
                                     [](const OfValue& of, int32_t v) { return of.value < v; });
    return at == one.counts.end() || at->value != value || at->count < need;
  });
}

}  // namespace outrigger::devices
