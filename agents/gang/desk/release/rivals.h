#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "gang/desk/board.h"
#include "gang/desk/time.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger::desk {

/// Pods without a plan to which kube-scheduler has said that resources are short ("Insufficient
/// cpu"): they take what becomes free on nodes that they may use. Not thread-safe.
class Rivals {
 public:
  /// Looks at another plan. Both are used until the next call.
  void OnPlan(const Board* board, const ClusterSnapshot* snapshot, Time now);
  /// True if one of them may use a node that a pod of `seats`, of the unit, may use, or could a
  /// moment ago: where pods come all the time, none may wait for an instant.
  bool AnyFor(const plan::UnitKey& unit, std::span<const BoardPod* const> seats);
  /// When the answer may be another one though nothing changes; nothing: never.
  std::optional<Time> next_look() const { return next_look_.at(); }

 private:
  const std::vector<PodPtr>& Waiting();

  const Board* board_ = nullptr;
  const ClusterSnapshot* snapshot_ = nullptr;
  Time now_;
  std::optional<std::vector<PodPtr>> waiting_;  // of this plan, once asked for
  std::map<plan::UnitKey, Time> seen_;          // when there was one for the unit
  NextLook next_look_;
};

}  // namespace outrigger::desk
