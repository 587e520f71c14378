#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// Uses of reserved nodes by pods that were let pass and whose bind call has not come yet: kube-
/// scheduler has them in mind, and the watch does not. Thread-safe.
class TentativeUses {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit TentativeUses(SteadyNow now) : now_(std::move(now)) {}

  /// `uid` may come to be on one of `nodes`; replaces what was noted of it. Ends after 30 s.
  /// `seen`: the board has the pod, so the first plan without it ends the use.
  void Note(const std::string& uid, const ResourceList& requests, std::vector<std::string> nodes,
            bool seen);
  void End(std::string_view uid);
  /// Ends uses of pods that do not wait for a place any more, as the watch has shown.
  void OnPlan(const Board& board, std::span<const PodPtr> pods);
  /// Takes off `free` what others than `uid` may use of `node`.
  void TakeFrom(std::string_view node, std::string_view uid, ResourceList* free) const;

 private:
  struct Use {
    ResourceList requests;
    std::vector<std::string> nodes;
    Time until;
    bool seen = false;  // waiting for a place, at the last plan
  };
  const SteadyNow now_;
  mutable Mutex mutex_;
  std::map<std::string, Use, std::less<>> uses_ ABSL_GUARDED_BY(mutex_);
};

/// What a filter call came to, for who plans.
struct Admission {
  enum class Outcome {
    kPasses,      ///< an ungrouped pod, with at least one node
    kReserved,    ///< the reserved node is the answer
    kNotOffered,  ///< there is a reservation, but its node is not in the offer
    kWaits,       ///< rejected everywhere
  };
  Outcome outcome = Outcome::kPasses;
  std::string node;  // kReserved, kNotOffered
};

/// Answers a filter call from `board`; `verdicts` as Filterer::Filter() has them. Commits to
/// nothing but tentative uses.
Admission Admit(const Board& board, const Request& request, TentativeUses* tentative,
                std::span<Verdict> verdicts);

/// True for a pod of a group that is planned as a whole, or that no plan has seen.
bool IsMember(const Board& board, const Pod& pod);

/// Steers pods without a reservation away from reserved nodes.
void Steer(const Board& board, const Request& request, std::span<NodeScore> scores);

}  // namespace outrigger::desk
