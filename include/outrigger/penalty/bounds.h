#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/penalty/policy.h"

// Between which values a class may move. Pure and thread-safe.

namespace outrigger::penalty {

/// Values at which other programs change what they do with a pod: Cluster Autoscaler expendable
/// below -10, KAI preemptible below 100, Koordinator's bands 5000-5999 and 9000-9999. A penalty
/// crosses none of them downwards unless that is allowed.
inline constexpr std::array<int64_t, 6> kCliffs = {-10, 100, 5000, 6000, 9000, 10000};

/// The bounds of one class; made by BoundsOf().
struct Bounds {
  int64_t base = 0;     // the value without a penalty
  int64_t floor = 0;    // at most `top`
  int64_t top = 0;      // the value after recovery: base, or the ceiling where that is lower
  int64_t quantum = 1;  // see Policy::quantum
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Returns the floor of a class: the policy's, or else the highest of: 1 above the next lower of
/// `others` (bases of the other classes, in any order), and the highest cliff that is not above
/// base. Without any of these it is kLowestValue. InvalidArgument names setting, value and what is
/// accepted: a floor above base, or one that crosses without Policy::allow_crossing.
absl::StatusOr<int64_t> FloorOf(const Policy& policy, int64_t base,
                                const std::vector<int64_t>& others);

/// Returns the bounds of a class. InvalidArgument as FloorOf(), and if the ceiling is below the
/// floor, or base is no value of a user's class.
absl::StatusOr<Bounds> BoundsOf(const Policy& policy, int64_t base,
                                const std::vector<int64_t>& others);

}  // namespace outrigger::penalty
