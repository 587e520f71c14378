#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "calls/barrier.h"
#include "common/desk_names.h"
#include "events/gang_event.h"
#include "eviction/recovery.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/plan/notes.h"
#include "outrigger/plan/planner.h"
#include "reports/explainer.h"

namespace outrigger::gang {

/// Tells people and machines what becomes of gangs: metrics, Events with figures, the log. What
/// is told exists whether or not the scheduler ever asks. Thread-safe as far as said.
class Reports {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// All outlive this.
  Reports(ClusterWriter* cluster, AgentMetrics* metrics, Log log,
          SteadyNow now = std::chrono::steady_clock::now);

  /// Whether this agent may act, and if not, why; from the planning thread, as the next five.
  void OnActing(const absl::Status& acting);
  /// A plan was made.
  void OnPlan(const Board& board, const std::vector<plan::Note>& notes,
              const std::vector<TimedOut>& timed_out, Time now);
  /// Where there are no barriers, before OnPlan(): gangs of which the first members are bound now.
  void OnBoundOneByOne(const Board& board, Time now);
  /// So many gangs have members that wait at a barrier, and so many members do.
  void OnBarriers(size_t standing, size_t waiters);
  /// Gangs that have come to be bound in part for too long, and how many are so at all.
  void OnPartial(const Board& board, const std::vector<Recovery::Partial>& partial, size_t count);
  /// So many nodes are kept free for the first that waits.
  void OnReserved(size_t nodes);
  /// Reports why gangs wait: of a bounded number at once, and what takes a search for one at a
  /// time, when `explainer` has found it out.
  void Explain(Explainer* explainer, const std::shared_ptr<const ClusterSnapshot>& snapshot,
               std::span<const plan::Unit> units, const plan::PlanOptions& options,
               const Board& board, Time now);
  /// When somebody is to be told though nothing has changed; nothing: nobody is.
  std::optional<Time> next_look() const { return next_look_.at(); }
  /// With figures, why a gang waits for that cause, as it was last told; empty: it was not.
  std::string WhyWaits(const plan::UnitKey& key, std::string_view word) const;

  /// From any thread.
  void OnPulse(std::chrono::milliseconds under_way);
  void OnNomination(const Nomination& nomination, const absl::Status& status);
  void OnBarrier(const plan::UnitKey& gang, BarrierEnd end, std::chrono::milliseconds held);

 private:
  // A gang that waits for less than this is told of by nobody: it may be a matter of its last
  // member.
  static constexpr std::chrono::seconds kTellAfter{2};

  struct Gang {
    std::optional<Time> waiting_since;  // until it is bound, also while it has places
    std::string told_word;              // the cause of the last Event
    std::string told_text;              // with figures
    std::string logged;                 // the last line of the log about why it waits
    std::string gave_up;                // that it did, for people
    std::optional<Time> told_at;
    bool has_bound = false;  // or had, when it was first seen
    bool seen = false;
  };
  void CountWaiting(const Board& board);
  void Tell(FirstPods* pods, const plan::UnitKey& key, std::string reason, std::string note);
  void TellLeft(const Board& board);
  void TellTimedOut(const Board& board, const std::vector<TimedOut>& timed_out);

  // In reports_why.cc.
  struct Known {
    Time due;
    const plan::UnitKey* key;
    std::string_view word;
    std::string_view text;
  };
  struct Why {
    std::string_view word;  // of the cause
    std::string_view text;  // with figures
    std::string_view kept;  // what is done for it
  };
  // Since when it is time to tell that it waits, now for this cause, which may be yet to come;
  // nothing: it does not wait.
  std::optional<Time> DueSince(const plan::UnitKey& key, std::string_view word) const;
  bool IsToTell(const plan::UnitKey& key, std::string_view word, Time now) const;
  std::vector<Known> KnownToTell(const Board& board, size_t planned, Time now) const;
  void TellKnown(const Board& board, size_t planned, Time now, FirstPods* pods);
  void TakeExplained(Explainer* explainer, const Board& board, FirstPods* pods, Time now);
  void TellWhy(FirstPods* pods, const plan::UnitKey& key, const Why& why, Time now);

  void Forget();
  Gang& See(const plan::UnitKey& key, Time now);
  void Admit(const plan::UnitKey& key, const Gang& gang, Time now);

  ClusterWriter* const cluster_;
  AgentMetrics* const metrics_;
  const Log log_;
  const SteadyNow now_;
  absl::Status acting_;
  absl::StatusCode nomination_error_ = absl::StatusCode::kOk;  // of the last; guarded by mutex_
  std::map<std::string, size_t> waiting_;                      // by cause, as last counted
  std::set<plan::UnitKey> left_;                               // to kube-scheduler
  std::map<plan::UnitKey, Gang> gangs_;                        // guarded by mutex_
  std::optional<Time> next_explanation_;
  std::optional<Time> next_telling_;
  NextLook next_look_;  // of the planning thread, as the two before
  mutable std::mutex mutex_;
};

}  // namespace outrigger::gang
