#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "gang/desk/board.h"
#include "gang/desk/calls/inbox.h"
#include "gang/desk/nominated_places.h"
#include "gang/desk/nominations/contenders.h"
#include "gang/desk/nominations/pod_nomination.h"
#include "gang/desk/nominations/refusals.h"
#include "gang/desk/nominations/stand_ins.h"
#include "gang/desk/options.h"
#include "gang/desk/participant.h"
#include "gang/desk/time.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "sdk/base/in_step.h"

namespace outrigger::desk {

/// What the planning thread remembers from plan to plan: reservations, what the scheduler refused,
/// what was nominated. All of it is made again from the API server after a restart, but refusals,
/// which are learnt again. Not thread-safe.
class Memory {
 public:
  explicit Memory(NominationOptions options) : options_(options) {}

  /// Takes what calls have told.
  void Take(const Inbox::Content& content, const std::shared_ptr<const ClusterSnapshot>& snapshot,
            Time now);

  /// Takes a sign that the scheduler is at work, where there are no calls.
  void SeeWork(Time now) { last_call_ = std::max(last_call_, now); }

  /// Completes the units for the planner: reservations, refusals, waiters, turns; puts them in
  /// order again. Those that the scheduler has refused too often go to `resting`: they are not
  /// planned now.
  void Prepare(const std::map<plan::UnitKey, std::vector<Waiting>>& waiters,
               const ClusterSnapshot& snapshot, Time now, std::vector<plan::Unit>* units,
               std::vector<Resting>* resting);

  /// A gang for which room is kept ahead, and that has places elsewhere just now, does not fit yet:
  /// single pods are mostly faster there, and its barrier would fail. What is kept would be lost,
  /// as a failed bind call ends a nomination. So such places count once they have been free for a
  /// while.
  void KeepAhead(std::span<const plan::Unit> units, Time now, plan::Plan* plan);
  /// Learns a plan: reservations that began and ended. Returns the nominations that are due.
  std::vector<Nomination> Learn(const Board& board, const ClusterSnapshot& snapshot, Time now);
  /// Of the plan that was learnt last.
  const NominatedPlaces& nominated() const { return nominated_; }
  /// A nomination was written, or could not be. `began`: when the write did, if that may have been
  /// before calls that Take() was given; nothing: now.
  void Nominated(const Nomination& nomination, bool written, Time now,
                 std::optional<Time> began = {});
  /// Pods, by UID, of which a nomination is being written: Learn() asks for none of them.
  void SetUnderWay(absl::flat_hash_set<std::string> pods) { under_way_ = std::move(pods); }

  /// Units whose gates stay for now because others are released first: their time does not run.
  void SetAwaitingTurn(std::set<plan::UnitKey> units) { awaiting_turn_ = std::move(units); }

  /// Gangs that kept places for too long.
  std::vector<TimedOut> TakeTimedOut();

  /// Another instance of the scheduler is at work: what the one before it refused, or left
  /// unanswered, says nothing any more.
  void ForgetScheduler(Time now);

  /// Nothing is planned now: the time until the next plan counts against no gang.
  void Pause(Time now);

  /// Whether a call about any pod may change what is planned: the scheduler did not ask about some.
  bool awaits_asks() const { return awaits_asks_; }

  /// When the next look is due though nothing has changed; nothing: never.
  std::optional<Time> next_look() const { return next_look_.at(); }

 private:
  struct LastCall {
    Time at;
    bool rejected = false;
  };
  struct PodMemory {
    PodPtr pod;  // as it was last planned
    plan::UnitKey unit;
    std::string reserved;
    std::string put_at;  // where another than we says in its status that it goes
    /// Nodes of nominations that were due, and may have been written, since the view showed a new
    /// one.
    absl::flat_hash_set<std::string> to_write;
    std::string kept;              // where room is kept for it ahead of its gang
    Time placed_at;                // when that began
    bool was_kept = false;         // it was kept for it before
    std::optional<LastCall> call;  // filter or preempt, about the pod
    PodRefusals refusals;
    PodNomination nomination;
    uint64_t place_lost_round = 0;  // the last round in which it had no place
    uint64_t seen = 0;              // the round in which the pod was last there
  };
  /// How the places of a unit become its own.
  enum class Places : uint8_t {
    kOptimistic,  // it takes them: no other pod waits that could
    kNominated,   // its members are nominated, since another pod may take one, or the scheduler
                  // may not offer one that no other can stand in for: a nominated node it always
                  // tries first
    kContested,   // likewise for as long as the unit waits: another pod has taken one
  };
  struct UnitMemory {
    std::optional<Time> reserved_since;
    std::optional<Time> gone_since;  // it is not on the board
    bool had_open_claims = false;    // since then
    int64_t turn = 0;
    Time turned_at;
    int64_t refusals = 0;  // without a change of what was refused
    std::optional<Time> rests_until;
    std::string refused;              // what was last refused, and why
    std::vector<SpecRefusals> specs;  // what is refused to all members of a spec
    plan::Cause cause = {};           // why it did not fit the last time
    std::optional<Time> moves_since;  // it has had places other than those that are kept for it
    bool in_part = false;             // without calls: members are bound
    bool waited = false;              // members waited at the barrier when it was last planned
    Places places = Places::kOptimistic;
    uint64_t seen = 0;
  };

  void Refuse(const Inbox::Refusal& refusal, const ClusterSnapshot& snapshot, Time now);
  static void Rest(UnitMemory* unit, Time now);
  /// What was refused for the pod is refused to all members of its spec, with all nodes that did
  /// not pass in that attempt, though there was room for a while and no place of another pod.
  void RefuseToSpec(const Inbox::Refusal& refusal, const PodMemory& of,
                    const ClusterSnapshot& snapshot, Time now);
  /// True if what kube-scheduler says of a node about the pod counts for all of its spec: it does
  /// not hang on where other pods are, nor on volumes and devices of its own.
  bool IsSharedBySpec(const Inbox::Refusal& refusal, const PodMemory& of) const;
  /// Null: there are too many.
  SpecRefusals* SpecOf(const PodMemory& of);
  /// Nodes where others, or members that were let pass, have places.
  absl::flat_hash_set<std::string> PlacesOfOthers(const PodMemory& of,
                                                  const SpecRefusals& spec) const;
  /// Gives the members of a unit what is refused to their specs.
  void PrepareSpecs(const ClusterSnapshot& snapshot, Time now, UnitMemory* memory,
                    plan::Unit* unit);
  void OnAsk(const Ask& ask, PodMemory* memory);
  /// True if kube-scheduler calls about the pod, as far as is known.
  bool IsAskedAbout(const Pod& pod) const;
  /// True if the scheduler has tried the pod, which may be asleep since; else the pod is in its
  /// queue, however long that is.
  static bool WasTried(const Pod& pod, const PodMemory& memory);
  /// When the scheduler was last seen at work; nothing: it may be at work on pods of which nothing
  /// is heard.
  std::optional<Time> LastSign() const;
  /// Decides how the places of a unit become its own. One that is being released stays as it is.
  void ChoosePlaces(const BoardUnit& unit, Contenders* contenders, StandIns* stand_ins,
                    UnitMemory* memory);
  /// Another pod has taken a place of the unit, which had been let go.
  void Contest(const plan::UnitKey& unit);
  /// True if members of the unit are to be nominated for their places though they were not
  /// rejected.
  bool IsToNominate(const plan::UnitKey& unit) const;
  void ForgetRefusedBesideWaiters(const plan::Unit& unit, UnitMemory* memory, Time now);
  void PrepareMember(const std::vector<Waiting>* waiting, const ClusterSnapshot& snapshot, Time now,
                     UnitMemory* of_unit, plan::Member* member);
  /// Gangs of which members wait at the barrier come before single pods for which kube-scheduler
  /// evicts others without asking, as long as there are such pods. Its eviction of a waiter takes a
  /// moment, in which nothing wakes the pod; if the plan ended the barrier then, the pod would
  /// sleep for minutes next to free nodes (seen on 1.37). True if that changes the order.
  bool PutWaitersFirst(std::vector<plan::Unit>* units) const;
  /// Where kube-scheduler keeps room for the pod without a plan that says so: where it is kept
  /// ahead, or of a pod that was never planned what its status names. `known` may be null.
  static const std::string& AheadOf(const PodMemory* known, const Pod& pod);
  void LearnPod(const BoardPod& seat, const BoardUnit& unit, const ClusterSnapshot& snapshot,
                Time now, std::vector<Nomination>* due);
  /// True of a pod that waits with the gate, and of a member of a gang of which some do: to be
  /// woken it would lose its nomination for a moment, and its barrier cannot open.
  static bool IsBeforeRelease(const BoardPod& seat);
  /// As LearnPod() of a pod that is nominated though nothing can be asked about it yet: it is
  /// gated, or its place is still used.
  void LearnAhead(const BoardPod& seat, const Nomination& planned, Time now, PodMemory* memory,
                  std::vector<Nomination>* due);
  /// True if members have places other than the room that is kept for them; fills in that.
  bool HoldsBack(const plan::Unit& unit, const plan::UnitPlan& planned,
                 std::vector<std::string>* kept) const;
  /// True if kube-scheduler keeps the place for the pod, as far as is known:
  /// PodNomination::IsKept(), but not if the watch should have shown it long since.
  bool IsKept(const PodNomination& nomination, const Pod& pod, const std::string& node, Time now);
  /// True if the pod has had its place for so short a time that the scheduler may refuse it because
  /// of others which it has put there, and the view does not show yet.
  bool IsBeforeTheView(const PodMemory& memory, Time now);
  /// The nomination that a pod has from before this process began.
  static void AdoptShown(const Nomination& planned, Time now, PodMemory* memory);
  /// True if the scheduler has let the pod pass to the place that it has now: it has it in mind.
  static bool IsLetPass(const PodMemory& memory);
  /// True if a member was rejected after it had been nominated for its place, a while ago: it
  /// sleeps there.
  bool IsAsleepAtItsPlace(const BoardUnit& unit, const PodMemory& memory, Time now);
  /// True if the plan has a node for the pod though the scheduler has refused it there
  /// (GiveRefusedNodes()): the place is held, and it is asked again.
  bool HoldsRefused(const Nomination& planned, const PodMemory& memory) const;
  std::string_view SilenceText() const;
  /// Notes whether the nomination that `pod` has, and did not have before, was written by another.
  void LearnPutAt(const Pod& pod, Time now, PodMemory* memory) const;
  /// True if the scheduler, or an autoscaler, says that the pod goes to the node in its status: it
  /// is there until it is bound, or they say so no more.
  static bool IsPutThere(const Pod& pod, const PodMemory& memory) {
    return !memory.put_at.empty() && memory.put_at == pod.nominated_node_name;
  }
  /// True if a nomination of the pod can only be ours.
  bool IsSurelyOurs(const Pod& pod, bool gang) const;
  /// True if the nomination that the pod has is kube-scheduler's, which has evicted others for it.
  bool IsOfOthers(const Pod& pod, bool gang, const PodMemory& memory) const;
  /// For a pod without a unit nothing is planned: it keeps no nomination.
  void LearnUnplanned(const BoardPod& seat, Time now, std::vector<Nomination>* due);
  /// Learns what the scheduler did with the nomination that it was given. True if it has refused
  /// the node.
  bool CheckNomination(const Nomination& planned, const ClusterSnapshot& snapshot, Time now,
                       PodMemory* memory);
  /// True if the nomination for the place that the pod has is to be taken back, and written again.
  bool IsToRenew(const BoardUnit& unit, const Nomination& planned, const PodMemory& memory,
                 Time now);
  /// True if a single pod has a place, but its last call was answered with a rejection, a while
  /// ago: what was in the way may be gone, and the pod sleeps.
  bool IsHeldAtItsPlace(const BoardUnit& unit, const PodMemory& memory, Time now);
  /// True if `at` has come; otherwise it is looked at then.
  bool IsTime(Time at, Time now);
  /// Takes back what the pod's status names, if anything. `ours`: whatever wrote it. A member's
  /// nomination is: kube-scheduler never preempts for one. `again`: to nominate it for the same
  /// node once more.
  void Withdraw(const BoardPod& seat, bool ours, bool again, Time now, PodMemory* memory,
                std::vector<Nomination>* due);
  /// Adds a write, or looks again when one may be tried. Nothing of a pod that has one under way.
  void Write(Nomination nomination, Time now, PodMemory* memory, std::vector<Nomination>* due);
  bool IsDue(const Nomination& planned, const BoardUnit& unit, Time now, const PodMemory& memory);
  /// A single pod has a place and is left alone: kube-scheduler refuses it without asking.
  bool IsLeftAlone(Time now, const PodMemory& memory);
  /// The gang's reservation begins anew, behind those of its priority.
  void GiveUp(const plan::UnitKey& gang, std::chrono::milliseconds after, Time now,
              UnitMemory* memory);
  void LearnUnit(const BoardUnit& unit, const Board& board, Contenders* contenders,
                 StandIns* stand_ins, Time now);
  void Resume(Time now);
  void ForgetOld();

  const NominationOptions options_;
  /// What is remembered of the pod, or null. `in_step` knows the order of the last round.
  PodMemory* Find(const PodPtr& pod, InStep<const Pod*, PodMemory>* in_step);

  absl::node_hash_map<std::string, PodMemory> pods_;  // by UID
  InStep<const Pod*, PodMemory> prepared_;
  InStep<const Pod*, PodMemory> learnt_;
  absl::flat_hash_set<std::string> under_way_;  // by UID, too
  std::map<plan::UnitKey, UnitMemory> units_;
  std::set<plan::UnitKey> awaiting_turn_;
  std::vector<TimedOut> timed_out_;
  Time last_call_;  // of the scheduler, about any pod, or another sign that it is at work
  NextLook next_look_;
  NextLook look_at_;  // of KeepAhead(), for Learn()
  NominatedPlaces nominated_;
  std::optional<Time> paused_since_;
  uint64_t paused_after_ = 0;  // the last round before a pause
  bool awaits_asks_ = false;
  bool asks_about_all_ = false;  // kube-scheduler calls about pods that do not ask for it, too
  bool holds_ = false;           // single pods have places, too
  uint64_t round_ = 0;
  /// Views from a moment ago and from before that: what has not changed since the older one was
  /// there when kube-scheduler tried the pod that it refuses now.
  std::shared_ptr<const ClusterSnapshot> newer_;
  std::shared_ptr<const ClusterSnapshot> older_;
  Time newer_at_;
};

}  // namespace outrigger::desk
