#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "common/desk_names.h"
#include "eviction/reports.h"
#include "eviction/search_order.h"
#include "eviction/whole_eviction.h"
#include "gang/plan/groups.h"
#include "gang/plan/planner.h"
#include "gang/plan/preemption.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

struct EvictorOptions {
  bool enabled = false;
  std::chrono::seconds min_run_time{60};
  size_t most_plans = 128;
  /// For how long places are kept for a unit while those who have them go; as long again where a
  /// gang is cut by then, and until a unit that fits is bound.
  std::chrono::milliseconds patience{300'000};
  /// For how long its places may be missing, after it had them, before they are lost.
  std::chrono::milliseconds lost_after{10'000};
  /// A budget that has been spent may recover: a pod that may not go is tried again after so long.
  std::chrono::milliseconds between_rounds{1'000};
  SteadyNow now = std::chrono::steady_clock::now;
  std::function<int64_t()> wall_clock = nullptr;  // seconds since 1970; null: the system's
  /// Whether this agent is in charge, asked before each round of evictions. May block.
  /// FailedPrecondition: another one is, and sees to what was begun; else it may pass.
  std::function<absl::Status()> may_act = nullptr;
  /// Asked before each eviction of a round; null: as desk::MayWrite.
  MayWrite may_write = nullptr;
  /// There is something for Prepare() to tell; from the thread of this.
  std::function<void()> changed = nullptr;
};

/// Makes room for units that do not fit: finds the cheapest set of others of lower priority, evicts
/// it once all of it is known to be evictable, and keeps the places until the unit has them. One
/// unit at a time (SearchOrder), on a thread of its own: a search costs many plans.
///
/// A single pod is served only where gangs would have to go: for the rest kube-scheduler preempts
/// by itself.
class Evictor {
 public:
  /// Both outlive this.
  Evictor(ClusterWriter* cluster, EvictionReports* reports, EvictorOptions options);
  ~Evictor();
  Evictor(const Evictor&) = delete;
  Evictor& operator=(const Evictor&) = delete;

  void Start();
  void Stop();

  /// Tells the next plan who is going, and for whom their places are kept. From the planning
  /// thread, as the next two.
  void Prepare(plan::GroupOptions* groups, plan::PlanOptions* plan);
  /// A plan was made, of `units` with `options`, and may be acted on.
  /// `asks_about_all`: a replacement of a pod that is evicted takes no place that is kept. Else a
  /// gang is nominated for its places before the first eviction.
  void OnPlan(const ClusterView& view, std::span<const plan::Unit> units,
              const plan::PlanOptions& options, const Board& board, bool asks_about_all);
  /// Why no pod was evicted for the unit when that was last looked for; empty: not known.
  std::string WhyNobody(const plan::UnitKey& unit) const;
  /// When there may be something to do though nothing has changed; nothing: never.
  std::optional<Time> next_look() const;

  /// Where all who evict tell of it.
  EvictionReports& reports() const { return *reports_; }

 private:
  enum class Phase : uint8_t {
    kIdle,
    kSearching,
    kPromised,  // who goes is settled, and not told to the planning thread yet
    kEvicting,
    kWaiting,  // for those who go, and for the unit to take their places
  };
  struct Job {
    ClusterView view;
    std::vector<plan::Unit> units;  // the last one is to fit
    std::vector<plan::GroupState> groups;
    plan::PlanOptions options;
  };

  void Run(const std::stop_token& stop);
  void Work(const Job& job, const std::stop_token& stop);
  std::optional<plan::Preemption> Search(const Job& job, const std::stop_token& stop);
  absl::Status MayEvictAll(const plan::Unit& unit, const std::vector<plan::Victim>& victims,
                           const std::stop_token& stop);
  void LeaveOut(const plan::Unit& unit, const std::vector<PodPtr>& pods, const absl::Status& answer)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Settle(const Job& job, const plan::Preemption& found, const std::stop_token& stop);
  void EvictVictims(const plan::Unit& unit, const std::stop_token& stop);
  void OnAnswer(const plan::Unit& unit, const Pod& pod, const absl::Status& status);
  void Fail(const plan::UnitKey& unit, Time began);
  void End(RoundEnd end, std::string_view why = "") ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellNobody(const plan::Unit& unit, const std::string& why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Before a pod was evicted there is not the longest wait for the next search.
  RoundEnd GivenUp() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return may_be_evicted_ ? RoundEnd::kExpired : RoundEnd::kGivenUp;
  }
  void Forget() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsBound(const Board& board, const BoardUnit* unit) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsNominated(const Board& board) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Follow(const Board& board, bool asks_about_all) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Begin(const Board& board) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SpareUnbegun() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndUnbegun(bool served) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountRefusal(const Pod& pod, const absl::Status& answer)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Spare(std::string_view why, std::vector<plan::Victim>* left)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Choose(const ClusterView& view, std::span<const plan::Unit> units,
              const plan::PlanOptions& options, const Board& board)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddLateMembers(const Board& board) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ClusterWriter* const cluster_;
  EvictionReports* const reports_;
  const EvictorOptions options_;
  plan::Planner planner_;  // of the thread
  WholeEviction whole_;

  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  Phase phase_ ABSL_GUARDED_BY(mutex_) = Phase::kIdle;
  std::optional<Job> job_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> schedulers_ ABSL_GUARDED_BY(mutex_){};  // of pods that are planned
  Refusals refusals_ ABSL_GUARDED_BY(mutex_);
  std::map<plan::UnitKey, std::string> why_nobody_ ABSL_GUARDED_BY(mutex_);
  std::optional<plan::Promise> promise_ ABSL_GUARDED_BY(mutex_);
  std::vector<plan::Victim> victims_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> leaving_ ABSL_GUARDED_BY(mutex_);  // UIDs of their pods
  Time deadline_ ABSL_GUARDED_BY(mutex_);
  bool may_be_evicted_ ABSL_GUARDED_BY(mutex_) = false;  // somebody was, or may be
  // The unit has its places, or is gone, or its time is over: who was not begun stays.
  bool not_needed_ ABSL_GUARDED_BY(mutex_) = false;
  bool spared_ ABSL_GUARDED_BY(mutex_) = false;  // so somebody does
  // What came of it so far.
  struct Outcome {
    plan::Unit unit;  // for which places are kept
    Time nominated_by;
    size_t evicted = 0;                                     // pods
    bool fitted = false;                                    // the unit had places
    std::optional<Time> short_since = std::nullopt;         // it had, and has none
    std::map<std::string, int, std::less<>> refusals = {};  // of victims, by UID
    std::string hopeless = {};                              // why a victim does not go after all
  };
  std::optional<Outcome> outcome_ ABSL_GUARDED_BY(mutex_);  // with promise_
  SearchOrder order_ ABSL_GUARDED_BY(mutex_);
  Time rests_until_ ABSL_GUARDED_BY(mutex_);  // searches take a part of a core only
  std::optional<Time> next_look_ ABSL_GUARDED_BY(mutex_);

  std::jthread thread_;
};

}  // namespace outrigger::gang
