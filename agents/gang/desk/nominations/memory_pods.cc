// What is remembered of each pod: its nomination, and the nodes that the scheduler has refused it.

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "gang/desk/nominations/life_signs.h"
#include "gang/desk/nominations/memory.h"
#include "gang/desk/nominations/waits.h"
#include "sdk/base/backoff.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::seconds kFirstRest{1};

}  // namespace

void Memory::Refuse(const Inbox::Refusal& refusal, const ClusterSnapshot& snapshot, Time now) {
  const std::string& node = refusal.node;
  PodMemory& memory = pods_[refusal.uid];
  if (memory.reserved == node && IsBeforeTheView(memory, now)) return;
  if (memory.put_at == node) memory.put_at.clear();  // it does not go there after all
  UnitMemory& unit = units_[memory.unit];
  if (memory.reserved == node) Contest(memory.unit);
  // Several calls may have reported one refusal.
  if (!memory.refusals.Add({node, StampOf(snapshot, node), memory.pod, refusal.silent}, now)) {
    return;
  }
  if (memory.nomination.IsFor(node)) memory.nomination.Apply(NominationEvent::kRefused);
  RefuseToSpec(refusal, memory, snapshot, now);
  if (memory.reserved == node) memory.reserved.clear();
  unit.refused = fmt::format("kube-scheduler rejects {} on {}: {}", refusal.pod, node, refusal.why);
  // Of one pod: each of many members may be refused once, because others of them came first.
  const size_t refused = memory.refusals.Nodes(now).size();
  if (refused < static_cast<size_t>(kRefusalsAtOnce) || unit.in_part) return;
  // It was tried by the plan before: its pause is not longer for that.
  if (unit.rests_until && now < *unit.rests_until) return;
  unit.refusals = std::max(unit.refusals, kRefusalsAtOnce - 1);
  Rest(&unit, now);
}

void Memory::OnAsk(const Ask& ask, PodMemory* memory) {
  memory->call = {ask.at, ask.rejected};
  memory->nomination.Apply(NominationEvent::kAsked);
  memory->seen = round_;
  // It does ask: it was away, or late.
  const int64_t over = memory->refusals.ForgetSilent();
  if (over == 0) return;
  UnitMemory& unit = units_[memory->unit];
  unit.refusals = std::max<int64_t>(unit.refusals - over, 0);
  unit.rests_until.reset();
}

// Longer each time, once it is often enough.
void Memory::Rest(UnitMemory* unit, Time now) {
  if (++unit->refusals < kRefusalsAtOnce || unit->in_part) return;
  unit->rests_until = now + Backoff<std::chrono::milliseconds>::After(
                                unit->refusals - kRefusalsAtOnce + 1, kFirstRest, kLongestRest);
}

// What was refused because of where other members waited, now that none does.
void Memory::ForgetRefusedBesideWaiters(const plan::Unit& unit, UnitMemory* memory, Time now) {
  bool any = false;
  for (const plan::Member& member : unit.members) {
    const auto found = pods_.find(member.pod->uid);
    if (found == pods_.end() || !HangsOnOtherPods(*member.pod)) continue;
    any |= found->second.refusals.Clear();
  }
  if (any) Rest(memory, now);
}

Memory::PodMemory* Memory::Find(const PodPtr& pod, InStep<const Pod*, PodMemory>* in_step) {
  const auto look_up = [&](const Pod* of) {
    const auto found = pods_.find(of->uid);
    return found == pods_.end() ? nullptr : &found->second;
  };
  return in_step->Find(pod.get(), look_up,
                       [&](const PodMemory& memory) { return memory.pod == pod; });
}

void Memory::PrepareMember(const std::vector<Waiting>* waiting, const ClusterSnapshot& snapshot,
                           Time now, UnitMemory* of_unit, plan::Member* member) {
  if (waiting != nullptr) {
    for (const Waiting& waiter : *waiting) {
      if (waiter.uid == member->pod->uid) member->waits_on = waiter.node;
    }
  }
  member->ahead.clear();
  PodMemory* const known = Find(member->pod, &prepared_);
  member->ahead = AheadOf(known, *member->pod);
  if (known == nullptr) return;
  PodMemory& memory = *known;
  memory.seen = round_;
  if (options_.mode == Mode::kAlone && memory.pod != nullptr &&
      WasTriedSince(*memory.pod, *member->pod)) {
    SeeWork(now);
  }
  LearnPutAt(*member->pod, now, &memory);
  member->reserved = memory.put_at.empty() ? memory.reserved : memory.put_at;
  const std::vector<std::string> changed = memory.refusals.TakeChanged(snapshot, member->pod);
  if (!changed.empty() && of_unit != nullptr) {
    of_unit->refusals = 0;
    of_unit->rests_until.reset();
  }
  for (const auto& ended : {changed, memory.refusals.TakeOver(now)}) {
    for (const std::string& node : ended) {
      if (!memory.nomination.IsFor(node)) continue;
      memory.nomination.Apply(NominationEvent::kRefusalOver);  // it may be nominated for it again
    }
  }
  member->refused = memory.refusals.Nodes(now);
}

void Memory::ForgetScheduler(Time now) {
  paused_since_.reset();  // all times begin anew
  for (auto& [uid, pod] : pods_) {
    pod.refusals.Clear();
    pod.nomination.OnSchedulerChanged(now);
  }
  for (auto& [key, unit] : units_) {
    unit.refusals = 0;
    unit.specs.clear();
    unit.rests_until.reset();
    // Its members are asked about anew.
    if (unit.reserved_since) unit.reserved_since = now;
  }
}

void Memory::LearnPod(const BoardPod& seat, const BoardUnit& unit, const ClusterSnapshot& snapshot,
                      Time now, std::vector<Nomination>* due) {
  const Pod& pod = *seat.pod;
  PodMemory* const known = Find(seat.pod, &learnt_);
  PodMemory& memory = known == nullptr ? pods_[pod.uid] : *known;
  memory.seen = round_;
  if (unit.gang || memory.pod != seat.pod) memory.unit = unit.key;
  memory.pod = seat.pod;
  if (memory.reserved != seat.node) {
    if (!memory.reserved.empty() && pod.scheduling_gates.empty()) Contest(unit.key);
    memory.reserved = seat.node;
    memory.placed_at = now;
    memory.was_kept = !seat.node.empty() && memory.kept == seat.node;
  }
  if (const auto end = memory.refusals.FirstEnd(now)) next_look_.Add(*end);
  awaits_asks_ |= memory.refusals.AwaitsAsk(now);
  memory.kept = seat.node.empty() ? seat.kept_node : std::string();
  const std::string& node = memory.kept.empty() ? seat.node : memory.kept;
  const uint64_t stamp = node.empty() ? 0 : StampOf(snapshot, node);
  const Nomination planned{seat.pod, node, stamp, round_};
  if (IsPutThere(pod, memory)) {
    if (!seat.node.empty()) nominated_.Add(unit.key, seat.node == memory.put_at);
    return;
  }
  if (!memory.kept.empty() || IsBeforeRelease(seat)) {
    return LearnAhead(seat, planned, now, &memory, due);
  }
  AdoptShown(planned, now, &memory);
  // If it is refused, the next plan gives it another place.
  if (CheckNomination(planned, snapshot, now, &memory)) {
    nominated_.Add(unit.key, /*kept=*/false);
    return next_look_.Add(now);
  }
  if (seat.node.empty()) {
    memory.place_lost_round = round_;
    return Withdraw(seat, IsSurelyOurs(pod, unit.gang), /*again=*/false, now, &memory, due);
  }
  const bool is_kept = IsKept(memory.nomination, pod, seat.node, now);
  nominated_.Add(unit.key, is_kept || IsLetPass(memory));
  if (pod.nominated_node_name == seat.node) {
    if (!IsToRenew(unit, planned, memory, now)) return;
    return Withdraw(seat, /*ours=*/true, /*again=*/true, now, &memory, due);
  }
  if (IsDue(planned, unit, now, memory)) {
    Write(planned, now, &memory, due);
  } else {
    Withdraw(seat, IsSurelyOurs(pod, unit.gang), /*again=*/false, now, &memory, due);
  }
}

void Memory::LearnUnplanned(const BoardPod& seat, Time now, std::vector<Nomination>* due) {
  const auto known = pods_.find(seat.pod->uid);
  if (known != pods_.end()) {
    known->second.place_lost_round = round_;
    known->second.nomination.OnPlan({seat.pod, "", /*stamp=*/0, round_}, now);
  }
  if (seat.pod->nominated_node_name.empty()) return;
  PodMemory& memory = pods_[seat.pod->uid];
  const bool ours = IsSurelyOurs(*seat.pod, /*gang=*/true) && !IsPutThere(*seat.pod, memory);
  Withdraw(seat, ours, /*again=*/false, now, &memory, due);
}

void Memory::Withdraw(const BoardPod& seat, bool ours, bool again, Time now, PodMemory* memory,
                      std::vector<Nomination>* due) {
  memory->seen = round_;
  const PodNomination& nomination = memory->nomination;
  const std::string& shown = seat.pod->nominated_node_name;
  if (shown.empty()) return;
  const bool taken_back = nomination.IsFor(shown) && IsTakenBack(nomination.state());
  if (taken_back || (!ours && !nomination.IsFor(shown))) return;
  Write({seat.pod, "", /*stamp=*/0, round_, again}, now, memory, due);
}

void Memory::Write(Nomination nomination, Time now, PodMemory* memory,
                   std::vector<Nomination>* due) {
  if (under_way_.contains(nomination.pod->uid)) return;  // its result makes the next plan
  if (!IsTime(memory->nomination.write_after(), now)) return;
  memory->to_write.insert(nomination.node);
  due->push_back(std::move(nomination));
}

bool Memory::CheckNomination(const Nomination& planned, const ClusterSnapshot& snapshot, Time now,
                             PodMemory* memory) {
  const Pod& pod = *planned.pod;
  PodNomination& nomination = memory->nomination;
  bool refused = nomination.OnPlan(planned, now);
  const bool changed = nomination.IsConditionChanged(pod) && !IsBeforeTheView(*memory, now);
  const bool from_gate = nomination.IsFromBeforeRelease();
  if (changed) {
    const bool conclusive = options_.mode == Mode::kAlone && from_gate;
    refused |= nomination.Apply(conclusive ? NominationEvent::kRefused
                                           : NominationEvent::kConditionChanged);
  }
  // No attempt can have begun before it. To take it back would open the place to other pods.
  if (from_gate && nomination.state() == NominationState::kDoubted) {
    nomination.OnWritten(planned, /*answered=*/false, now);
  }
  const bool silent =
      !IsLetPass(*memory) && AwaitsAnswer(nomination.state()) &&
      IsTime(nomination.AnswerDue(WasTried(pod, *memory) ? LastSign() : std::nullopt, options_),
             now);
  if (silent) refused |= nomination.Apply(NominationEvent::kSilent);
  if (!refused) return false;
  Inbox::Refusal refusal{pod.namespace_ + "/" + pod.name, pod.uid, planned.node,
                         "it removed the nomination", silent};
  if (silent) {
    refusal.why = SilenceText();
  } else if (changed) {
    refusal.why = pod.unscheduled_message;
    // It would have called about the pod if a node had passed.
    if (refusal.why.starts_with("0/")) refusal.passed.emplace();
  }
  Refuse(refusal, snapshot, now);
  return true;
}

bool Memory::IsToRenew(const BoardUnit& unit, const Nomination& planned, const PodMemory& memory,
                       Time now) {
  if (memory.nomination.state() == NominationState::kDoubted) return true;
  if (HoldsRefused(planned, memory)) {
    return IsTime(memory.nomination.written_at() + options_.nomination_grace, now);
  }
  // To take it back would open the place of a pod that is in the queue for nothing.
  const auto repeat = WasTried(*planned.pod, memory)
                          ? memory.nomination.RepeatDue(LastSign(), options_)
                          : std::nullopt;
  return (repeat && !IsLetPass(memory) && IsTime(*repeat, now)) ||
         IsHeldAtItsPlace(unit, memory, now) || IsAsleepAtItsPlace(unit, memory, now);
}

bool Memory::IsTime(Time at, Time now) {
  if (now < at) next_look_.Add(at);
  return now >= at;
}

// The scheduler tries a pod by itself when a place becomes free, so this is rare: its claim is
// missing, say. Its place would be kept from all pods after it for ever. A nomination finds out.
bool Memory::IsLeftAlone(Time now, const PodMemory& memory) {
  if (!holds_) return false;
  const bool passed = memory.call && !memory.call->rejected;
  return IsTime(passed ? std::max(memory.placed_at, memory.call->at) + options_.bound_within
                       : memory.placed_at + options_.tried_within,
                now);
}

bool Memory::IsHeldAtItsPlace(const BoardUnit& unit, const PodMemory& memory, Time now) {
  if (unit.gang || !memory.call || !memory.call->rejected) return false;
  return IsAnswered(memory.nomination.state()) &&
         IsTime(memory.call->at + options_.repeat_after, now);
}

bool Memory::IsDue(const Nomination& planned, const BoardUnit& unit, Time now,
                   const PodMemory& memory) {
  // The condition alone shows what was rejected before a restart, and what the scheduler rejects by
  // itself because of nominations of other pods: nothing wakes these when a nomination ends.
  const bool rejected = (memory.call && memory.call->rejected) ||
                        (desk::WasTried(*planned.pod) && (unit.gang || IsLeftAlone(now, memory)));
  // One for another node has to go in any case.
  const bool names_another = !planned.pod->nominated_node_name.empty();
  const bool ahead = unit.gang && !IsLetPass(memory) && (names_another || IsToNominate(unit.key));
  if (!rejected && !ahead) return false;
  if (IsOfOthers(*planned.pod, unit.gang, memory)) return false;
  if (HoldsRefused(planned, memory)) {
    return IsTime(memory.nomination.written_at() + options_.write_again_after, now);
  }
  // Never the same again, unless something has changed there, or it was rejected meanwhile because
  // it had no place: then it sleeps.
  const bool lost = ahead && memory.nomination.IsFor(planned.node) &&
                    IsUnseen(memory.nomination.state()) &&
                    !IsKept(memory.nomination, *planned.pod, planned.node, now);
  const bool sleeps = IsHeldAtItsPlace(unit, memory, now) || IsAsleepAtItsPlace(unit, memory, now);
  if (memory.nomination.IsSame(planned) && !lost && !sleeps &&
      !memory.nomination.IsBefore(memory.place_lost_round)) {
    return false;
  }
  return !memory.call || IsTime(memory.call->at + options_.awake_for, now);
}

void Memory::Nominated(const Nomination& nomination, bool written, Time now,
                       std::optional<Time> began) {
  PodMemory& memory = pods_[nomination.pod->uid];
  if (!written) {
    memory.nomination.OnWriteFailed(now);
    return next_look_.Add(memory.nomination.write_after());
  }
  if (nomination.node.empty()) return memory.nomination.OnWithdrawn(nomination);
  // The scheduler may have answered the write before its result was here.
  const bool answered = began && memory.call && memory.call->at >= *began;
  memory.nomination.OnWritten(nomination, answered, now);
}

}  // namespace outrigger::desk
