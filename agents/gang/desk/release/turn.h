#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gang/desk/board.h"
#include "gang/desk/nominated_places.h"
#include "gang/desk/release.h"
#include "gang/desk/release/claim_holds.h"
#include "gang/plan/groups.h"
#include "gang/plan/unit.h"

namespace outrigger::desk {

/// Whose turn it is to be released.
struct Turn {
  std::vector<PodPtr> due;  // pods whose gate is to be taken off, the most urgent first
  Releases state;           // of all others that have the gate; kFailing is not known here
  /// A unit without a place is to go ahead once those with places are bound.
  bool ahead_is_held = false;
  /// Of each unit that waits with released pods: how many of these there are.
  std::map<plan::UnitKey, size_t> released = {};
};

/// By what a turn is found. References and views live during the call.
struct TurnInput {
  const Board& board;
  std::span<const PodPtr> pods;      // at least all that have a gate
  const plan::GroupOptions& groups;  // whose pods are planned
  const NominatedPlaces& nominated;
  const RefusedClaims& refused_claims;
  /// False: the scheduler calls only for members that request it. If one does not, the gang is not
  /// released before it has places.
  bool asks_about_all = false;
  /// True for a unit without a place, by its gated pods, that stays gated: nodes are kept for it,
  /// or may come to be, and another pod waits for them. Null: for none.
  std::function<bool(const BoardUnit& unit, std::span<const BoardPod* const> gated)> keeps_gate =
      nullptr;
};

/// What Gates adds to it.
struct TurnState {
  const ReleaseOptions& options;
  /// True for a pod off which the gate was taken, which the view does not show yet.
  absl::FunctionRef<bool(const std::string& uid)> is_released;
  /// True for a unit whose released pods have got no further for long: they do not count any more.
  absl::FunctionRef<bool(const plan::UnitKey& unit)> is_stale;
  /// True for a unit that has waited for the window for so long that no other may pass it.
  absl::FunctionRef<bool(const plan::UnitKey& unit)> has_waited;
  bool ahead_has_waited = false;  // long enough for units with places
};

/// Released are, in this order:
///  - what the plan leaves to kube-scheduler, and single pods that are not to be held;
///  - units with places, in the order of the plan: those of which some pod is released or bound
///    already, whatever the window says, and others that the window takes next to what was released
///    before them in the order. One that it does not take is passed by smaller ones until it
///    has_waited(); from then on none after it goes. A unit whose places are not its own yet is
///    passed over;
///  - units without a place, in their order, up to `ahead`, counting those that are released and
///    not is_stale(); none that is larger than the window, and none where nothing holds a gang
///    together afterwards (Mode::kAlone). One that keeps_gate() is passed over if a member may
///    preempt: once such a pod has no gate, kube-scheduler clears its nomination whenever it tries
///    it, and nothing is kept for it. The pods that wait next to it are what autoscalers see. While
///    others are on their way to their places no further one begins, until ahead_has_waited:
///    refusing its members would cost kube-scheduler the time in which it binds the others.
/// Of a unit with places pods without one stay until its minimum is bound; then they are as a unit
/// without a place. Pods that kube-scheduler would refuse for a claim stay. Pure.
Turn FindTurn(const TurnInput& input, const TurnState& state);

}  // namespace outrigger::desk
