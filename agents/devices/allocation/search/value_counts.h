#pragma once

#include <cstdint>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/takings.h"

namespace outrigger::devices {

/// How many devices an alternative can get of each value of the attributes that must be equal, at a
/// moment at which they are not bound to one: values with too few need not be tried.
class ValueCounts {
 public:
  /// Counts from the beginning.
  void Count(const DemandData& demand, const Ground& ground, const Takings& takings,
             const Slot& slot, const Alternative& alternative);
  /// True if no value of some attribute has `need` devices.
  bool AreShort(int64_t need) const;
  /// True if devices of the values that `set` has are too few.
  bool AreShort(const DemandData& demand, SetId set, int64_t need) const;

 private:
  struct OfValue {
    int32_t value = 0;
    int64_t count = 0;
  };
  struct OfConstraint {
    int32_t constraint = 0;
    std::vector<OfValue> counts;  // by value
  };

  static void Merge(std::vector<OfValue>* counts);

  std::vector<OfConstraint> all_;
};

}  // namespace outrigger::devices
