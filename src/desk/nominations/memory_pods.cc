// What is remembered of each pod: its nomination, and the nodes that the scheduler has refused it.

#include <algorithm>
#include <utility>

#include "desk/board/same_pod.h"
#include "desk/nominations/memory.h"
#include "fmt/format.h"
#include "outrigger/desk/reasons.h"
#include "outrigger/plan/room.h"

namespace outrigger::desk {
namespace {

// After so many refusals without a change a unit is planned less and less often.
constexpr int64_t kRefusalsAtOnce = 3;
constexpr std::chrono::seconds kFirstRest{1};
constexpr std::chrono::seconds kLongestRest{60};
// A refusal holds so long, and twice as long each time that it is repeated.
constexpr std::chrono::seconds kFirstRefused{30};
constexpr std::chrono::seconds kLongestRefused{600};
// What could not be written is tried again so soon, and twice as late each time.
constexpr std::chrono::milliseconds kFirstRetry{100};
constexpr std::chrono::milliseconds kLongestRetry{60'000};

// Twice as long each time.
template <typename Duration>
Duration Doubled(Duration first, int64_t times, Duration longest) {
  return std::min(first * (int64_t{1} << std::min<int64_t>(times, 20)), longest);
}

uint64_t StampOf(const ClusterSnapshot& snapshot, const std::string& node) {
  const auto room = plan::RoomOn(snapshot, node);
  return room ? room->stamp : 0;
}

// A rejection of ours is no refusal of the scheduler's.
bool IsOurs(const std::string& message) {
  return message.find(kOurs) != std::string::npos;
}

// Whether a node is refused may hang on where other members wait.
bool IsJudgedBesideOthers(const Pod& pod) {
  const Affinity& affinity = pod.affinity;
  return !pod.topology_spread.empty() || !affinity.required_pod.empty() ||
         !affinity.required_pod_anti.empty();
}

bool IsRejected(const Pod& pod) {
  return !pod.unscheduled_reason.empty() && pod.unscheduled_reason != "SchedulingGated";
}

}  // namespace

void Memory::Refuse(const Inbox::Refusal& refusal, const ClusterSnapshot& snapshot, Time now) {
  const std::string& node = refusal.node;
  const uint64_t stamp = StampOf(snapshot, node);
  PodMemory& memory = pods_[refusal.uid];
  const auto told = std::find_if(memory.refused.begin(), memory.refused.end(),
                                 [&](const Refused& refused) { return refused.node == node; });
  // Several calls may have told of one refusal.
  int times = 1;
  if (told != memory.refused.end()) {
    const bool same = told->stamp == stamp && AskTheSame(told->pod, memory.pod);
    if (same && now < told->until) return;
    if (same) times = told->times + 1;
    memory.refused.erase(told);
  }
  auto holds = Doubled(kFirstRefused, times - 1, kLongestRefused);
  const auto others = static_cast<int64_t>(memory.refused.size());
  // Of many nodes, which are tried one a minute in the end, the first is not tried again before the
  // last one was tried at all.
  if (others + 1 >= kRefusalsAtOnce) holds = std::max(holds, 2 * (others + 1) * kLongestRest);
  const Time until = now + holds;
  memory.refused.push_back({node, stamp, memory.pod, times, until, /*over=*/false, refusal.silent});
  memory.answered = true;
  if (memory.reserved == node) memory.reserved.clear();
  UnitMemory& unit = units_[memory.unit];
  unit.refused = fmt::format("kube-scheduler refuses {} on {}: {}", refusal.pod, node, refusal.why);
  // Of one pod: each of many members may be refused once, because others of them came first.
  if (std::count_if(memory.refused.begin(), memory.refused.end(), [&](const Refused& refused) {
        return now < refused.until;
      }) < kRefusalsAtOnce) {
    return;
  }
  unit.refusals = std::max(unit.refusals, kRefusalsAtOnce - 1);
  Rest(&unit, now);
}

// It does ask: it was away, or late.
void Memory::ForgetSilence(PodMemory* memory) {
  const auto over = static_cast<int64_t>(
      std::erase_if(memory->refused, [](const Refused& refused) { return refused.silent; }));
  if (over == 0) return;
  UnitMemory& unit = units_[memory->unit];
  unit.refusals = std::max<int64_t>(unit.refusals - over, 0);
  unit.rests_until.reset();
}

// Longer each time, once it is often enough.
void Memory::Rest(UnitMemory* unit, Time now) {
  if (++unit->refusals < kRefusalsAtOnce) return;
  unit->rests_until = now + Doubled(kFirstRest, unit->refusals - kRefusalsAtOnce, kLongestRest);
}

// What was refused because of where other members waited, now that none does.
void Memory::ForgetRefusedBesideWaiters(const plan::Unit& unit, UnitMemory* memory, Time now) {
  bool any = false;
  for (const plan::Member& member : unit.members) {
    const auto found = pods_.find(member.pod->uid);
    if (found == pods_.end() || !IsJudgedBesideOthers(*member.pod)) continue;
    any |= !std::exchange(found->second.refused, {}).empty();
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
  PodMemory* const known = Find(member->pod, &prepared_);
  if (known == nullptr) return;
  PodMemory& memory = *known;
  memory.seen = round_;
  member->reserved = memory.reserved;
  const auto changed = std::erase_if(memory.refused, [&](const Refused& refused) {
    return StampOf(snapshot, refused.node) != refused.stamp ||
           (refused.pod != nullptr && !AskTheSame(refused.pod, member->pod));
  });
  if (changed != 0 && of_unit != nullptr) {
    of_unit->refusals = 0;
    of_unit->rests_until.reset();
  }
  for (Refused& refused : memory.refused) {
    if (now < refused.until) {
      member->refused.push_back(refused.node);
    } else if (!std::exchange(refused.over, true) && memory.nominated == refused.node) {
      memory.nominated.clear();  // it may be nominated for it again
    }
  }
}

void Memory::ForgetScheduler(Time now) {
  paused_since_.reset();  // all times begin anew
  for (auto& [uid, pod] : pods_) {
    pod.refused.clear();
    pod.repeated = pod.last_chance = false;
    pod.doubted.clear();
    pod.nominated_at = std::max(pod.nominated_at, now);
    if (pod.answered) pod.nominated.clear();
  }
  for (auto& [key, unit] : units_) {
    unit.refusals = 0;
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
  if (std::exchange(memory.reserved, seat.node) != seat.node) memory.placed_at = now;
  if (memory.doubted != seat.node) memory.doubted.clear();
  for (const Refused& refused : memory.refused) {
    if (now < refused.until) next_look_.Add(refused.until);
    awaits_asks_ |= refused.silent && now < refused.until;
  }
  const bool tell_again = CheckNomination(seat, snapshot, now, &memory) || IsToRepeat(memory, now);
  if (seat.node.empty()) {
    memory.place_lost_round = round_;
    return Withdraw(seat, unit.gang, /*again=*/false, now, &memory, due);
  }
  if (tell_again) return Withdraw(seat, unit.gang, /*again=*/true, now, &memory, due);
  const uint64_t stamp = StampOf(snapshot, seat.node);
  if (pod.nominated_node_name == seat.node) {
    if (IsHeldAtItsPlace(unit, memory, now)) {
      return Withdraw(seat, /*ours=*/true, /*again=*/true, now, &memory, due);
    }
    // The watch was behind: what seemed to be cleared is there.
    if (!memory.doubted.empty() && memory.nominated.empty()) {
      Nominated({seat.pod, seat.node, stamp, round_}, /*written=*/true, now);
    }
    return;
  }
  if (IsDue(seat, unit, stamp, now, memory)) {
    Write({seat.pod, seat.node, stamp, round_}, memory, now, due);
  } else {
    Withdraw(seat, unit.gang, /*again=*/false, now, &memory, due);
  }
}

void Memory::Withdraw(const BoardPod& seat, bool ours, bool again, Time now, PodMemory* memory,
                      std::vector<Nomination>* due) {
  memory->seen = round_;
  const std::string& nominated = seat.pod->nominated_node_name;
  if (nominated.empty() || nominated == memory->withdrawn) return;
  if (!ours && nominated != memory->nominated) return;
  Write({seat.pod, "", /*stamp=*/0, round_, again}, *memory, now, due);
}

void Memory::Write(Nomination nomination, const PodMemory& memory, Time now,
                   std::vector<Nomination>* due) {
  if (under_way_.contains(nomination.pod->uid)) return;  // its result makes the next plan
  if (now < memory.write_after) return next_look_.Add(memory.write_after);
  due->push_back(std::move(nomination));
}

// What the scheduler did with a nomination that it was given. Whether it is to be withdrawn and
// told again.
bool Memory::CheckNomination(const BoardPod& seat, const ClusterSnapshot& snapshot, Time now,
                             PodMemory* memory) {
  const Pod& pod = *seat.pod;
  if (memory->answered || memory->nominated.empty()) return false;
  if (memory->nominated != seat.node) {
    memory->answered = true;
    return false;
  }
  const bool changed =
      pod.unscheduled_message != memory->message_before && !IsOurs(pod.unscheduled_message);
  // Nobody else writes it before the pod was asked about, but a scheduler that found no node.
  const bool kept = pod.nominated_node_name == memory->nominated;
  const bool lost = std::exchange(memory->shown, memory->shown || kept) && !kept;
  // Who was told again may be refused in the same words, which nobody writes a second time.
  const int graces = memory->last_chance ? 1 : NominationOptions::kBusyGraces;
  const Time due = std::min(std::max(memory->nominated_at, last_call_) + options_.nomination_grace,
                            memory->nominated_at + graces * options_.nomination_grace);
  if (!changed && !lost && now < due) {
    next_look_.Add(due);
    return false;
  }
  const bool overwritten = lost && !pod.nominated_node_name.empty();
  if ((changed || lost) && !overwritten && !memory->last_chance) {
    // A cycle that had begun before the nomination ends behind it, and may leave other words or no
    // nomination: that is no refusal yet. Of the next one it is.
    memory->doubted = seat.node;
    if (!kept) memory->nominated.clear();
    return kept;
  }
  const std::string why = changed ? pod.unscheduled_message
                          : lost  ? "it took the nomination back"
                                  : "it did not ask about the pod";
  Refuse({pod.namespace_ + "/" + pod.name, pod.uid, seat.node, why, !changed && !lost}, snapshot,
         now);
  next_look_.Add(now);
  return false;
}

// To withdraw it is the half of that: without a nomination the pod is due for one again.
bool Memory::IsToRepeat(const PodMemory& memory, Time now) {
  if (memory.answered || memory.repeated || !memory.shown || memory.nominated.empty()) return false;
  const Time at = std::max(memory.nominated_at, last_call_) + options_.repeat_after;
  if (now < at) next_look_.Add(at);
  return now >= at;
}

// The scheduler tries a pod by itself when a place becomes free, so this is rare: its claim is
// missing, say. Its place would be kept from all pods after it for ever. A nomination finds out.
bool Memory::IsLeftAlone(Time now, const PodMemory& memory) {
  if (!holds_) return false;
  const bool passed = memory.asked && !memory.rejected;
  const Time at = passed ? std::max(memory.placed_at, *memory.asked) + options_.bound_within
                         : memory.placed_at + options_.tried_within;
  if (now < at) next_look_.Add(at);
  return now >= at;
}

bool Memory::IsHeldAtItsPlace(const BoardUnit& unit, const PodMemory& memory, Time now) {
  if (unit.gang || !memory.rejected || !memory.asked || memory.repeated) return false;
  if (memory.nominated_at > *memory.asked) return false;  // it has not answered yet
  const Time at = *memory.asked + options_.repeat_after;
  if (now < at) next_look_.Add(at);
  return now >= at;
}

bool Memory::IsDue(const BoardPod& seat, const BoardUnit& unit, uint64_t stamp, Time now,
                   const PodMemory& memory) {
  // The condition alone shows what was rejected before a restart, and what the scheduler rejects by
  // itself because of nominations of other pods: nothing wakes these when a nomination ends.
  const bool rejected =
      memory.rejected || (IsRejected(*seat.pod) && (unit.gang || IsLeftAlone(now, memory)));
  if (!rejected && !(unit.gang && options_.nominate_all)) return false;
  // Never the same again, unless something has changed there, or it was rejected meanwhile because
  // it had no place: then it sleeps.
  if (memory.nominated == seat.node && memory.nominated_stamp == stamp &&
      !IsHeldAtItsPlace(unit, memory, now) && memory.place_lost_round <= memory.nominated_round &&
      AskTheSame(memory.nominated_pod, seat.pod)) {
    return false;
  }
  if (memory.asked && now - *memory.asked < options_.awake_for) {
    next_look_.Add(*memory.asked + options_.awake_for);
    return false;
  }
  return true;
}

void Memory::Nominated(const Nomination& nomination, bool written, Time now,
                       std::optional<Time> began) {
  PodMemory& memory = pods_[nomination.pod->uid];
  if (!written) {
    memory.write_after = now + Doubled(kFirstRetry, memory.failures++, kLongestRetry);
    return next_look_.Add(memory.write_after);
  }
  memory.failures = 0;
  if (nomination.node.empty()) {
    memory.withdrawn = nomination.pod->nominated_node_name;
    memory.nominated.clear();
    memory.repeated |= nomination.again;
    return;
  }
  memory.nominated = nomination.node;
  memory.nominated_stamp = nomination.stamp;
  memory.nominated_pod = nomination.pod;
  memory.nominated_at = now;
  memory.nominated_round = nomination.round;
  memory.shown = false;
  memory.message_before = nomination.pod->unscheduled_message;
  // The scheduler may have answered the write before its result was here.
  memory.answered = began && memory.asked && *memory.asked >= *began;
  memory.last_chance = std::exchange(memory.doubted, {}) == nomination.node;
  memory.withdrawn.clear();
}

}  // namespace outrigger::desk
