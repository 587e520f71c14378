#include "outrigger/penalty/bounds.h"

#include <algorithm>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace outrigger::penalty {
namespace {

// The lowest value that crosses neither another class nor a cliff.
int64_t Uncrossed(int64_t base, const std::vector<int64_t>& others) {
  int64_t lowest = kLowestValue;
  for (const int64_t other : others) {
    if (other < base) lowest = std::max(lowest, other + 1);
  }
  for (const int64_t cliff : kCliffs) {
    if (cliff <= base) lowest = std::max(lowest, cliff);
  }
  return lowest;
}

}  // namespace

absl::StatusOr<int64_t> FloorOf(const Policy& policy, int64_t base,
                                const std::vector<int64_t>& others) {
  const int64_t uncrossed = Uncrossed(base, others);
  if (!policy.floor) return uncrossed;
  if (*policy.floor > base) {
    return absl::InvalidArgumentError(fmt::format(
        "floor: {} is not accepted: at most the class's base, {}", *policy.floor, base));
  }
  if (*policy.floor < uncrossed && !policy.allow_crossing) {
    return absl::InvalidArgumentError(
        fmt::format("floor: {} is not accepted: at least {}, or allow-crossing, since a lower "
                    "value crosses another class or a band of values",
                    *policy.floor, uncrossed));
  }
  return *policy.floor;
}

absl::StatusOr<Bounds> BoundsOf(const Policy& policy, int64_t base,
                                const std::vector<int64_t>& others) {
  if (base < kLowestValue || base > kHighestValue) {
    return absl::InvalidArgumentError(fmt::format(
        "base: {} is not accepted: an integer from {} to {}", base, kLowestValue, kHighestValue));
  }
  const absl::StatusOr<int64_t> floor = FloorOf(policy, base, others);
  if (!floor.ok()) return floor.status();
  const int64_t top = std::min(base, policy.ceiling.value_or(kHighestValue));
  if (top < *floor) {
    return absl::InvalidArgumentError(
        fmt::format("ceiling: {} is not accepted: at least the class's floor, {}", top, *floor));
  }
  return Bounds{.base = base, .floor = *floor, .top = top, .quantum = QuantumOf(policy, base)};
}

}  // namespace outrigger::penalty
