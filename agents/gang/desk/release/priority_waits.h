#pragma once

#include <map>
#include <optional>
#include <span>

#include "gang/desk/time.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::desk {

/// Which single pods wait because kube-scheduler goes by priority alone: it would give them the
/// place of a unit before them in the order, of a lower priority, which is let go and not bound
/// yet. Not thread-safe.
class PriorityWaits {
 public:
  /// Takes their places from such pods in `plan`, which is the one of `units`. `asked`: pods
  /// without a gate can be held, too. A unit keeps no other waiting for more than 30 s, as it
  /// may be stuck, and none waits for longer. It keeps its place meanwhile (`promised`).
  void OnPlan(std::span<const plan::Unit> units, const ClusterSnapshot& snapshot,
              const plan::SchedulerChecks* checks, bool asked, Time now, plan::Plan* plan);
  /// When the next look is due though nothing has changed; nothing: never.
  std::optional<Time> next_look() const { return next_look_.at(); }

 private:
  std::map<plan::UnitKey, Time> since_;  // when it was let go, or began to wait
  NextLook next_look_;
};

}  // namespace outrigger::desk
