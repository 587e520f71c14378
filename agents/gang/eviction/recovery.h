#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "calls/barrier.h"
#include "common/desk_names.h"
#include "eviction/reports.h"
#include "eviction/whole_eviction.h"
#include "gang/desk/mode.h"
#include "gang/plan/groups.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::gang {

struct RecoveryOptions {
  /// For how long a gang may be bound in part.
  std::chrono::milliseconds patience{60'000};
  /// kAlone: no barrier holds bindings back, so a gang that starts is bound in part for as long as
  /// that takes, and `patience` begins again with each member more.
  desk::Mode mode = desk::Mode::kExtender;
  /// Whether this agent is in charge, asked before gangs are evicted; may block; null: it is.
  std::function<absl::Status()> may_act = nullptr;
  /// Asked before each eviction; null: as desk::MayWrite.
  MayWrite may_write = nullptr;
};

/// Sees to gangs that are bound in part, below their minimum, for too long: it says so, and evicts
/// the rest of those that want to start anew, on a thread of its own. A gang some of whose members
/// have succeeded is left alone: it may be done.
class Recovery {
 public:
  /// The first two outlive this.
  Recovery(ClusterWriter* cluster, EvictionReports* reports, RecoveryOptions options);
  ~Recovery();
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  void Start();
  void Stop();

  /// A gang to be told of: once each time that it comes to this.
  struct Partial {
    plan::UnitKey key;
    int64_t bound = 0;
    int64_t minimum = 0;
    plan::OnMemberLoss policy = plan::OnMemberLoss::kReplace;
  };
  /// From the planning thread, as the next three.
  std::vector<Partial> OnPlan(const Board& board, const Barriers& barriers, Time now);
  /// When the next gang has been bound in part for too long, or may be evicted again; nothing:
  /// never.
  std::optional<Time> next_look() const { return next_look_.at(); }
  /// How many gangs are bound in part, for however long; those that ignore losses not counted.
  size_t partial() const { return partial_; }
  /// Nothing is planned now, so what happens is not seen, perhaps as another agent is in charge:
  /// then gangs of which nobody was evicted yet are left to it.
  void Pause(Time now, bool another_acts);

  /// Evicts those of whom OnPlan() found that they are to go. What a disruption budget forbids is
  /// tried again after some seconds. By the thread, or by a test that started none.
  void EvictDue(const std::stop_token& stop = {});

 private:
  struct State {
    explicit State(Time now, int64_t bound = 0) : since(now), most(bound) {}
    Time since;
    int64_t most;  // members that were bound at once
    bool grown = false;
    bool told = false;
    bool seen = false;
    std::optional<Time> evicted;  // when the rest was last to be evicted
  };
  void Resume(Time now);
  void OnBroken(const plan::GroupState& group, const Board& board, Time now,
                std::vector<Partial>* partial);
  void SeeGrowth(const plan::GroupState& group, Time now, State* state);
  void Restart(const plan::UnitKey& gang, std::vector<PodPtr> rest, Time now, State* state);
  void AdoptBegun(Time now);
  std::optional<std::vector<PodPtr>> RestOf(const plan::UnitKey& gang, const Board& board, Time now,
                                            const State& state);
  bool GoesOn(const plan::UnitKey& gang, const Board& board, Time now, State* state);
  void Run(const std::stop_token& stop);

  const RecoveryOptions options_;
  WholeEviction whole_;
  std::map<plan::UnitKey, State> since_;
  size_t partial_ = 0;
  std::optional<Time> paused_since_;
  bool another_acted_ = false;  // since then
  NextLook next_look_;

  std::jthread thread_;
};

}  // namespace outrigger::gang
