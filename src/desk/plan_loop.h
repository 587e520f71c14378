#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "desk/calls/inbox.h"
#include "desk/kept_nodes.h"
#include "desk/nominations/life_signs.h"
#include "desk/nominations/memory.h"
#include "desk/nominations/nomination_writer.h"
#include "desk/plan_pulse.h"
#include "desk/release/claim_holds.h"
#include "desk/release/gates.h"
#include "desk/release/priority_waits.h"
#include "desk/release/rivals.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/desk/board.h"
#include "outrigger/desk/leadership.h"
#include "outrigger/desk/options.h"
#include "outrigger/desk/participant.h"
#include "outrigger/plan/groups.h"
#include "outrigger/plan/notes.h"
#include "outrigger/plan/part_times.h"
#include "outrigger/plan/planner.h"
#include "outrigger/plan/pods.h"
#include "outrigger/plan/terms.h"

namespace outrigger::desk {

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

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  bool nudged_ = true;
  std::shared_ptr<const Answers> answers_;
  std::atomic<bool> is_view_late_ = false;
  PlanPulse pulse_;  // guards itself

  Subscription changes_;
  std::jthread thread_;
  std::jthread watcher_;
};

}  // namespace outrigger::desk
