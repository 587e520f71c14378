#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "gang/desk/board.h"
#include "gang/desk/calls/inbox.h"
#include "gang/desk/kept_nodes.h"
#include "gang/desk/leadership.h"
#include "gang/desk/nominations/life_signs.h"
#include "gang/desk/nominations/memory.h"
#include "gang/desk/nominations/nomination_writer.h"
#include "gang/desk/nominations/stale_reasons.h"
#include "gang/desk/options.h"
#include "gang/desk/participant.h"
#include "gang/desk/release/claim_holds.h"
#include "gang/desk/release/gates.h"
#include "gang/desk/release/priority_waits.h"
#include "gang/desk/release/rivals.h"
#include "gang/desk/writes/pod_writer.h"
#include "gang/plan/groups.h"
#include "gang/plan/notes.h"
#include "gang/plan/part_times.h"
#include "gang/plan/planner.h"
#include "gang/plan/pods.h"
#include "gang/plan/terms.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::desk {

/// Since when the planning thread has been at work on one round, and on what: its answers grow old
/// meanwhile, and nothing else would show that it is stuck. Thread-safe.
class PlanPulse {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Longer than any plan of a cluster that is planned at all (docs/performance.md has them), and
  /// than 64 nominations on an API server that is slow take.
  static constexpr std::chrono::seconds kLongest{30};
  /// After so long only a restart helps.
  static constexpr std::chrono::seconds kStuck{180};

  explicit PlanPulse(SteadyNow now) : now_(std::move(now)) {}

  /// The thread begins a round, and what it does next; `what` is static.
  void Begin(const char* what);
  void GoOn(const char* what) { what_ = what; }
  /// The round is over: its answers are there.
  void End() { began_ = Time(); }

  /// For how long a round has been under way; zero: none is.
  std::chrono::milliseconds UnderWay() const;
  /// Unavailable if that is longer than kLongest: what calls are answered by is too old. The text
  /// names seconds and what the thread is at.
  absl::Status Fresh() const { return Within(kLongest); }
  /// The same for kStuck.
  absl::Status Live() const { return Within(kStuck); }

 private:
  absl::Status Within(std::chrono::milliseconds longest) const;

  const SteadyNow now_;
  std::atomic<Time> began_{};
  std::atomic<const char*> what_ = "planning";
};

/// What calls are answered by: the last plan, or why there is none.
struct Answers {
  absl::Status usable;
  std::shared_ptr<const Board> board;  // not null if usable
};

/// Plans when something has changed, and sees to what follows from a plan: nominations, and what
/// the participants do. One thread, which waits for no write; Answer() and Nudge() are thread-safe.
class PlanLoop {
 public:
  /// All outlive this.
  PlanLoop(ClusterAccess* cluster, Leadership* leadership, Inbox* inbox,
           std::vector<Participant*> participants, PlanningOptions options);
  ~PlanLoop();
  PlanLoop(const PlanLoop&) = delete;
  PlanLoop& operator=(const PlanLoop&) = delete;

  void Start();
  void Stop();

  /// In the place of Start(): no thread runs, and StepByHand() plans what is due at NextByHand().
  void StartByHand();
  void StepByHand();
  std::optional<Time> NextByHand() const;

  std::shared_ptr<const Answers> Answer() const;
  /// Ok if calls may be answered by `answers` now: they are usable, and no round has been under way
  /// for too long.
  absl::Status MayAnswerBy(const Answers& answers) const {
    return answers.usable.ok() ? pulse_.Fresh() : answers.usable;
  }
  /// Ok unless what is watched is late: then no gang is bound for the first time, and no pod is
  /// evicted. The text stays the same.
  absl::Status InStep() const;
  const PlanPulse& pulse() const { return pulse_; }
  /// Something that a plan depends on may have changed.
  void Nudge();

  /// One round of the thread, for tests; not while it runs. `nudged`: something has changed, or
  /// time has come to look; otherwise it is only seen whether plans may still be acted on.
  void Step(bool nudged = true);
  /// When the next round is due though nothing has changed; nothing: never. As Step().
  std::optional<Time> next_look() const;

 private:
  void Run(const std::stop_token& stop);
  bool Await(const std::stop_token& stop, bool* nudged);
  absl::Status Acting();
  std::map<plan::UnitKey, std::vector<Waiting>> Waiters() const;
  void FailWaiter(const plan::UnitKey& gang, const std::string& uid, const std::string& why);
  void CheckWaiters(const ClusterSnapshot& snapshot, std::span<const PodPtr> pods);
  void MakeRound(bool nudged);
  plan::GroupOptions GroupsOf(const ClusterView& view) const;
  /// What a round of planning comes to.
  struct Draft {
    Time now;
    std::span<const PodPtr> pods;
    Inbox::Content calls;
    plan::GroupOptions groups = {};
    plan::PlanOptions options = {};
    RefusedClaims refused_claims = {};
    plan::Plan plan = {};
  };
  void Plan(const ClusterView& view);
  void SeeWithoutCalls(const ClusterView& view, Draft* draft);
  void Prepare(const ClusterView& view, Draft* draft);
  void RunPlanner(const ClusterView& view, Draft* draft);
  std::shared_ptr<const Board> MakeBoard(const ClusterView& view, const Draft& draft);
  Releases LetGo(const ClusterView& view, const Draft& draft, const Board& board);
  void TakeChecks(const ClusterObjects& objects);
  void LeaveOutUnlike(std::vector<plan::Unit>* units);
  void TakeWritten();
  void ShowReasons(const Board& board, Time now);
  void OnWritten(const Nomination& nomination, const absl::Status& status);
  void OnReleased(const Release& release, const absl::Status& status);
  void Watch(const std::stop_token& stop);
  void Publish(absl::Status usable, std::shared_ptr<const Board> board);

  ClusterAccess* const cluster_;
  Leadership* const leadership_;
  Inbox* const inbox_;
  const std::vector<Participant*> participants_;
  const PlanningOptions options_;

  // Of the thread.
  Memory memory_;
  LifeSigns life_;
  NominationWriter nominations_;
  StaleReasons stale_reasons_;
  PodWriter<ShownReason> reasons_;
  Gates gates_;
  PriorityWaits priority_waits_;
  Rivals rivals_;
  KeptNodes kept_nodes_;
  plan::PlannedPods pods_;
  std::shared_ptr<const plan::SchedulerChecks> checks_;
  plan::NotesOnce notes_;
  plan::UnitTable table_;
  plan::PartTimes part_times_;
  plan::TermLimit terms_;
  std::vector<Resting> resting_;
  plan::Planner planner_;
  std::string epoch_;
  bool planned_ = false;  // in the last round
  std::chrono::steady_clock::duration plan_took_{};

  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  bool nudged_ ABSL_GUARDED_BY(mutex_) = true;
  std::shared_ptr<const Answers> answers_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> is_view_late_ = false;
  PlanPulse pulse_;  // guards itself

  Subscription changes_;
  std::jthread thread_;
  std::jthread watcher_;
};

}  // namespace outrigger::desk
