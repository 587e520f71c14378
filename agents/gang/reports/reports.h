#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "calls/barrier.h"
#include "common/desk_names.h"
#include "events/gang_event.h"
#include "eviction/recovery.h"
#include "gang/plan/notes.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

/// Finds out what gangs lack that do not fit, on a thread and with a planner of its own: one
/// explanation takes many plans, and no call of the scheduler waits for it. Without Start() it does
/// so on the caller's thread, for tests. Thread-safe.
class Explainer {
 public:
  struct Job {
    std::shared_ptr<const ClusterSnapshot> snapshot;
    std::vector<plan::Unit> units;  // all of the plan
    size_t index = 0;               // of the one that is explained
    plan::PlanOptions options;
    std::string word = {};  // of the cause
    std::string kept = {};  // what is done for it
  };
  struct Explained {
    plan::UnitKey gang;
    std::string word = {};
    std::string kept = {};
    std::string text;  // with figures
    std::chrono::steady_clock::duration took{};
  };

  /// `changed` is called, without a lock, when Take() has something.
  explicit Explainer(std::function<void()> changed) : changed_(std::move(changed)) {}
  ~Explainer() { Stop(); }
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  void Start();
  /// Returns after the plan under way.
  void Stop();

  /// True if nothing is being explained and nothing is there to be taken.
  bool IsIdle() const;
  /// A precondition is IsIdle().
  void Begin(Job job);
  std::optional<Explained> Take();

 private:
  void Run(const std::stop_token& stop);
  Explained Work(const Job& job, const std::stop_token& stop);

  const std::function<void()> changed_;
  plan::Planner planner_;  // of the thread
  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<Job> job_ ABSL_GUARDED_BY(mutex_);
  bool is_working_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Explained> explained_ ABSL_GUARDED_BY(mutex_);
  std::jthread thread_;
};

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
  /// time, when `explainer` has found it out. `why_nobody`: why no pod is evicted for a gang.
  void Explain(Explainer* explainer, const std::shared_ptr<const ClusterSnapshot>& snapshot,
               std::span<const plan::Unit> units, const plan::PlanOptions& options,
               const Board& board, Time now,
               const std::function<std::string(const plan::UnitKey&)>& why_nobody = nullptr);
  /// When somebody is to be told though nothing has changed; nothing: nobody is.
  std::optional<Time> next_look() const { return next_look_.at(); }

  /// From any thread, as what follows: with figures, why a gang waits for that cause, as it was
  /// last told; empty: it was not.
  std::string WhyWaits(const plan::UnitKey& key, std::string_view word) const;
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
  Gang& See(const plan::UnitKey& key, Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Admit(const plan::UnitKey& key, const Gang& gang, Time now);

  ClusterWriter* const cluster_;
  AgentMetrics* const metrics_;
  const Log log_;
  const SteadyNow now_;
  absl::Status acting_;
  absl::StatusCode nomination_error_ ABSL_GUARDED_BY(mutex_) =
      absl::StatusCode::kOk;               // of the last
  std::map<std::string, size_t> waiting_;  // by cause, as last counted
  std::set<plan::UnitKey> left_;           // to kube-scheduler
  std::map<plan::UnitKey, Gang> gangs_ ABSL_GUARDED_BY(mutex_);
  std::optional<Time> next_explanation_;
  std::optional<Time> next_telling_;
  NextLook next_look_;  // of the planning thread, as the two before
  mutable Mutex mutex_;
};

}  // namespace outrigger::gang
