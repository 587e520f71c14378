#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gang/desk/board.h"
#include "gang/plan/groups.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::desk {

/// Tells from the view alone that kube-scheduler is at work: it binds pods, or says of pods why it
/// did not. Not thread-safe.
class LifeSigns {
 public:
  /// True if pods of `groups`' schedulers have been bound since the call before.
  bool HasBound(std::span<const PodPtr> pods, const plan::GroupOptions& groups);

 private:
  // Kubernetes keeps these times in whole seconds.
  int64_t last_bound_ = 0;    // when the last one was, in seconds since 1970
  size_t bound_by_then_ = 0;  // so many were in that second
};

/// True if kube-scheduler has tried the pod, and has written why it has no node.
bool WasTried(const Pod& pod);

/// True if it has done so between two states of one pod, in other words than before.
bool WasTriedSince(const Pod& before, const Pod& now);

// Units of which kube-scheduler has a pod already, where nothing holds it back afterwards.

/// True if a pod of the unit is bound, or waits without a gate.
bool HasBegun(const plan::Unit& unit);

/// Units that have begun and do not fit are given the nodes again that kube-scheduler has refused
/// them: it may take one later that it did not know to be free yet, and until then no other pod is
/// to have the place. True if there is any: then another plan is to be made of `units`.
bool GiveRefusedNodes(const plan::Plan& plan, std::span<plan::Unit> units);

}  // namespace outrigger::desk
