#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "desk/release/claim_holds.h"
#include "outrigger/desk/board.h"
#include "outrigger/desk/nominated_places.h"
#include "outrigger/desk/release.h"
#include "outrigger/plan/groups.h"

namespace outrigger::desk {

/// Whose turn it is to be released.
struct Turn {
  std::vector<PodPtr> due;  // pods whose gate is to be taken off, the most urgent first
  Releases state;           // of all others that have the gate; kFailing is not known here
  /// A unit without a place is to go ahead once those with places are bound.
  bool ahead_is_held = false;
};

/// By what a turn is found. References and views live during the call.
struct TurnInput {
  const Board& board;
  std::span<const PodPtr> pods;      // at least all that have a gate
  const plan::GroupOptions& groups;  // whose pods are planned
  const ReleaseOptions& options;
  const NominatedPlaces& nominated;
  const RefusedClaims& refused_claims;
  /// True for a pod off which the gate was taken, which the view does not show yet.
  absl::FunctionRef<bool(const std::string& uid)> is_released;
  bool ahead_has_waited = false;  // long enough for units with places
};

/// Released are, in this order:
///  - what the plan leaves to kube-scheduler, and single pods that are not to be held;
///  - units with places, in the order of the plan: first those of which some pod is released or
///    bound already, whatever the window says, then the others, up to the first that the window
///    does not take. A unit whose nominations are not all written is passed over;
///  - units without a place, in their order, up to `ahead`, counting those that are released; none
///    where nothing holds a gang together afterwards (without_barrier). While others are on their
///    way to their places no further one begins, until ahead_has_waited: refusing its members would
///    cost kube-scheduler the time in which it binds the others.
/// Of a unit with places pods without one stay until its minimum is bound; then they are as a unit
/// without a place. Pods that kube-scheduler would refuse for a claim stay. Pure.
Turn FindTurn(const TurnInput& input);

}  // namespace outrigger::desk
