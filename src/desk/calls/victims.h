#pragma once

#include <chrono>
#include <vector>

#include "outrigger/agent/stages.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/desk/board.h"
#include "outrigger/plan/planner.h"

namespace outrigger::desk {

/// Chooses where others may be evicted for a pod: on a node that the plan, made without the victims
/// there, gives to it (Planner::FindGains()). Plans by itself, from what the board was made of, and
/// so waits for no thread. Thread-safe: calls wait for each other.
class VictimChoice {
 public:
  /// A call has a second. Candidates that are not looked at after so long are not chosen, nor is a
  /// plan begun; one that is under way then is ended.
  static constexpr std::chrono::milliseconds kLongest{400};

  explicit VictimChoice(SteadyNow now) : now_(std::move(now)) {}

  /// Adds to `chosen` the candidates that the pod may take: all, if its profile holds no pods or it
  /// is never held itself. Otherwise none where
  /// - the plan has not seen the pod, or does not plan it for now;
  /// - a victim comes before the pod in the order;
  /// - the node, or a victim on it, is not in the view.
  void Choose(const Board& board, const PreemptRequest& request, std::vector<NodeVictims>* chosen);

 private:
  const SteadyNow now_;
  Mutex mutex_;
  plan::Planner planner_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::desk
