#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gang/desk/board.h"
#include "gang/desk/mode.h"
#include "gang/plan/unit.h"

// Pods that wait with the scheduling gate plan::kQueueGate, and their release: the gate is taken
// off. docs/desk.md (Gates) has the rules.

namespace outrigger::desk {

struct ReleaseOptions {
  /// So many pods that have a place may be released and not bound yet; a larger unit goes alone.
  size_t window = 1000;
  /// For so long smaller units may pass one that is too large for what is left of the window.
  std::chrono::seconds passed_for{120};
  /// So many units without a place are released all the same: autoscalers do not see gated pods.
  size_t ahead = 1;
  /// Single pods wait for their turn, too, and count. Otherwise they are released at once.
  bool hold_singles = false;  // as PlanningOptions::hold
  /// kAlone: kube-scheduler binds the members of a gang one by one once it is released. `ahead`
  /// does not count then, and what has begun goes on only where it has places.
  Mode mode = Mode::kExtender;  // as PlanningOptions::mode
};

/// Why a pod has the gate still; the first that applies.
enum class HeldBy : uint8_t {
  kGroup,        ///< nothing is planned for its group: members are missing, say
  kOtherGate,    ///< another gate holds it, too
  kClaims,       ///< with Mode::kAlone: kube-scheduler would refuse it for a claim
  kNoPlace,      ///< its unit has no place, and enough of such units are released
  kWindow,       ///< its unit has places, and enough pods are released that are not bound yet
  kNominations,  ///< its unit's places are not all written as nominations yet
  kFailing,      ///< the API server refuses to take the gate off
  kNothing,      ///< it is being released
};
inline constexpr size_t kHeldBys = 8;

/// "no place", "window": for a metric.
std::string_view TextOf(HeldBy by);

/// A unit that is not released, or not in whole. What one that has begun holds back for claims
/// stands by itself.
struct HeldUnit {
  plan::UnitKey key;
  HeldBy by = HeldBy::kNothing;
  size_t pods = 0;  // of it that are held by that
  /// kFailing: which pod, and what the API server says. kNominations: how many are nominated.
  /// kClaims: which pod, its claim, and what is wrong with it.
  std::string why;
  bool has_begun = false;  // a pod of it is bound or released
};

/// What became of gated pods after a plan. Plain values.
struct Releases {
  std::vector<HeldUnit> units;          // that are planned, in their order
  std::array<size_t, kHeldBys> pods{};  // that have the gate, by what holds them
  size_t Held(HeldBy by) const { return pods[static_cast<size_t>(by)]; }
};

/// A gate to be taken off.
struct Release {
  PodPtr pod;
  int64_t started_with = 0;  // what is written on the pod (plan::kStartedWith); 0: nothing
};

}  // namespace outrigger::desk
