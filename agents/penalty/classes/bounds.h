#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/k8s/priority_class.h"
#include "penalty/classes/policy.h"

// Between which values a class may move. Pure and thread-safe.

namespace outrigger::penalty {

class Ledger;

/// The lowest value of a class, and what is below it: "class silver", "KAI".
struct Floor {
  int64_t value = kLowestValue;
  std::string of;  // empty: nothing is below
};

/// The values that a penalty does not cross downwards unless that is allowed: those of the other
/// classes, and those below which another program treats a pod differently. These are -10 of
/// Cluster Autoscaler, and those of a scheduler of which an own class is there.
class Barriers {
 public:
  /// Takes a class of the cluster with its base. A class may come twice.
  void Add(std::string_view class_name, int64_t base);
  /// The floor of a class with that base, by the classes that were added.
  Floor Under(int64_t base) const;

 private:
  std::map<int64_t, std::string> lowest_ = {{-10, "Cluster Autoscaler"}};  // value, whose it is
};

/// Returns those of the classes but stand-ins (mapping.h), and of those that only the ledger knows:
/// they are away for a moment. Its bases count. Null: there is no ledger.
Barriers BarriersOf(const std::vector<PriorityClass>& classes, const Ledger* ledger);

/// The bounds of one class; made by BoundsOf().
struct Bounds {
  int64_t base = 0;     // the value without a penalty
  int64_t floor = 0;    // at most `top`
  int64_t top = 0;      // the value after recovery: base, or the ceiling where that is lower
  int64_t quantum = 1;  // see Policy::quantum
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Returns the floor of a class: the policy's, or else that of `barriers`. InvalidArgument names
/// setting, value and what is accepted: a floor above base, or one that crosses without
/// Policy::allow_crossing.
absl::StatusOr<Floor> FloorOf(const Policy& policy, int64_t base, const Barriers& barriers);

/// Returns the bounds of a class with that floor. InvalidArgument if the ceiling is below the
/// floor, or base is no value of a user's class.
absl::StatusOr<Bounds> BoundsOf(const Policy& policy, int64_t base, const Floor& floor);

/// What helps a class that has a RoomProblem().
inline constexpr std::string_view kRoomRemedy =
    "annotation outrigger.dev/penalty-floor on the class, below another class or program with "
    "outrigger.dev/penalty-allow-crossing: \"true\", or another base";

/// Returns why the class can hardly be penalised, and what helps: above its floor there is less
/// than a quantum, or than one start or completion takes. Empty: there is room.
std::string RoomProblem(const Policy& policy, const Bounds& bounds, const Floor& floor);

/// All of that for a class.
struct ClassBounds {
  Policy policy;
  Floor floor;
  Bounds bounds;
  std::string room;  // RoomProblem()
};

/// Returns what PolicyOf(), FloorOf() and BoundsOf() say of a class with that base.
/// InvalidArgument: an annotation is malformed; OutOfRange: what it says does not fit the base or
/// other classes.
absl::StatusOr<ClassBounds> ClassBoundsOf(const PriorityClass& priority_class, int64_t base,
                                          const Policy& defaults, const Barriers& barriers);

}  // namespace outrigger::penalty
