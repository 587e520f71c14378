#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
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
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/plan/groups.h"
#include "outrigger/plan/planner.h"
#include "outrigger/plan/preemption.h"

namespace outrigger::gang {

struct EvictorOptions {
  bool enabled = false;
  std::chrono::seconds min_run_time{60};
  size_t most_plans = 128;
  /// For how long places are kept for a unit while those who have them go; as long again where a
  /// gang is cut by then.
  std::chrono::milliseconds patience{300'000};
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
  void Prepare(plan::GroupOptions* groups, plan::PlanOptions* plan) const;
  /// A plan was made, of `units` with `options`, and may be acted on.
  void OnPlan(const ClusterView& view, std::span<const plan::Unit> units,
              const plan::PlanOptions& options, const Board& board);
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
  absl::Status MayEvictAll(const std::vector<plan::Victim>& victims, const std::stop_token& stop);
  bool Settle(const Job& job, const plan::Preemption& found, const std::stop_token& stop);
  void EvictVictims(const plan::Unit& unit, const std::stop_token& stop);
  void EvictRound(const plan::Unit& unit, std::vector<PodPtr>* left, const std::stop_token& stop);
  void Fail(const plan::UnitKey& unit, Time began);
  // With the lock held.
  void End(bool served);
  void GiveUp(const absl::Status& why);
  void Forget();
  bool Spare(std::string_view why, std::vector<PodPtr>* left);
  bool IsWanted(const Pod& pod) const;
  void Choose(const ClusterView& view, std::span<const plan::Unit> units,
              const plan::PlanOptions& options, const Board& board);
  void AddLateMembers(const Board& board);

  ClusterWriter* const cluster_;
  EvictionReports* const reports_;
  const EvictorOptions options_;
  plan::Planner planner_;  // of the thread

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  Phase phase_ = Phase::kIdle;
  std::optional<Job> job_;
  std::optional<plan::Promise> promise_;
  std::vector<plan::Victim> victims_;
  std::set<std::string, std::less<>> leaving_;  // UIDs of their pods
  Time deadline_;
  std::map<std::string, plan::UnitKey, std::less<>> victim_of_;  // of those pods
  std::set<plan::UnitKey> begun_;  // victims that go whole, as one of them was evicted, or may be
  bool evicted_ = false;           // somebody was, or may be
  // The unit has its places, or is gone, or its time is over: who was not begun stays.
  bool not_needed_ = false;
  bool spared_ = false;  // so somebody does
  SearchOrder order_;
  Time rests_until_;  // searches take a part of a core only
  std::optional<Time> next_look_;

  std::jthread thread_;
};

}  // namespace outrigger::gang
