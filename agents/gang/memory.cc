#include "memory.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "outrigger/plan/room.h"
#include "reasons.h"

namespace outrigger::gang {
namespace {

// After so many refusals without a change a unit is planned less and less often.
constexpr int64_t kRefusalsAtOnce = 3;
constexpr std::chrono::seconds kFirstRest{1};
constexpr std::chrono::seconds kLongestRest{60};

uint64_t StampOf(const cluster::Snapshot& snapshot, const std::string& node) {
  const auto room = plan::RoomOn(snapshot, node);
  return room ? room->stamp : 0;
}

// A rejection of ours is no refusal of the scheduler's.
bool IsOurs(const std::string& message) {
  return message.find(kPointer) != std::string::npos;
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

void Memory::Refuse(const std::string& pod, const std::string& uid, const std::string& node,
                    uint64_t stamp, const std::string& why, Time now) {
  PodMemory& memory = pods_[uid];
  const auto told = std::find_if(memory.refused.begin(), memory.refused.end(),
                                 [&](const Refused& refused) { return refused.node == node; });
  // Several calls may have told of one refusal.
  if (told != memory.refused.end() && told->stamp == stamp) return;
  if (told != memory.refused.end()) memory.refused.erase(told);
  memory.refused.push_back({node, stamp});
  memory.answered = true;
  if (memory.leased == node) memory.leased.clear();
  UnitMemory& unit = units_[memory.unit];
  unit.refused = fmt::format("kube-scheduler refuses {} on {}: {}", pod, node, why);
  // Of one pod: each of many members may be refused once, because others of them came first.
  if (static_cast<int64_t>(memory.refused.size()) < kRefusalsAtOnce) return;
  unit.refusals = std::max(unit.refusals, kRefusalsAtOnce - 1);
  Rest(&unit, now);
}

// Longer each time, once it is often enough.
void Memory::Rest(UnitMemory* unit, Time now) {
  if (++unit->refusals < kRefusalsAtOnce) return;
  const int64_t doublings = std::min<int64_t>(unit->refusals - kRefusalsAtOnce, 10);
  unit->rests_until = now + std::min(kFirstRest * (int64_t{1} << doublings), kLongestRest);
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

void Memory::Take(const Inbox::Content& content, const cluster::Snapshot& snapshot, Time now) {
  last_call_ = std::max(last_call_, content.last_call);
  for (const auto& [uid, ask] : content.asks) {
    PodMemory& memory = pods_[uid];
    memory.asked = ask.at;
    memory.rejected = ask.rejected;
    memory.answered = true;
    memory.seen = round_;
  }
  for (const Inbox::Refusal& refusal : content.refusals) {
    Refuse(refusal.pod, refusal.uid, refusal.node, StampOf(snapshot, refusal.node), refusal.why,
           now);
  }
}

void Memory::PrepareMember(const std::vector<Waiting>* waiting, const cluster::Snapshot& snapshot,
                           UnitMemory* of_unit, plan::Member* member) {
  if (waiting != nullptr) {
    for (const Waiting& waiter : *waiting) {
      if (waiter.uid == member->pod->uid) member->waits_on = waiter.node;
    }
  }
  const auto found = pods_.find(member->pod->uid);
  if (found == pods_.end()) return;
  PodMemory& memory = found->second;
  memory.seen = round_;
  member->leased = memory.leased;
  const auto changed = std::erase_if(memory.refused, [&](const Refused& refused) {
    return StampOf(snapshot, refused.node) != refused.stamp;
  });
  if (changed != 0 && of_unit != nullptr) {
    of_unit->refusals = 0;
    of_unit->rests_until.reset();
  }
  for (const Refused& refused : memory.refused) member->refused.push_back(refused.node);
}

void Memory::Prepare(const std::map<plan::UnitKey, std::vector<Waiting>>& waiters,
                     const cluster::Snapshot& snapshot, Time now, std::vector<plan::Unit>* units,
                     std::vector<Resting>* resting) {
  ++round_;
  bool turned = false;  // an order other than BuildUnits'
  for (plan::Unit& unit : *units) {
    const auto known = units_.find(unit.key);
    UnitMemory* const memory = known == units_.end() ? nullptr : &known->second;
    const auto waiting = waiters.find(unit.key);
    const bool waits = waiting != waiters.end();
    if (memory != nullptr && std::exchange(memory->waited, waits) && !waits) {
      ForgetRefusedBesideWaiters(unit, memory, now);
    }
    for (plan::Member& member : unit.members) {
      PrepareMember(waits ? &waiting->second : nullptr, snapshot, memory, &member);
    }
    if (unit.key.dialect == plan::Dialect::kNone && IsPinned(*unit.members[0].pod)) {
      unit.rank.broken = true;  // it can go nowhere else, so it comes before all
      turned = true;
    }
    if (memory == nullptr) continue;
    unit.rank.turn = memory->turn;
    turned |= unit.rank.turn != 0;
  }
  const auto rests = [&](const plan::Unit& unit) {
    const auto known = units_.find(unit.key);
    return known != units_.end() && known->second.rests_until && *known->second.rests_until > now;
  };
  for (plan::Unit& unit : *units) {
    if (rests(unit)) resting->push_back({unit, units_[unit.key].refused});
  }
  if (!resting->empty()) std::erase_if(*units, rests);
  if (!turned) return;
  std::stable_sort(units->begin(), units->end(),
                   [](const plan::Unit& a, const plan::Unit& b) { return a.rank < b.rank; });
}

void Memory::Look(Time at) {
  if (!next_look_ || at < *next_look_) next_look_ = at;
}

std::vector<Nomination> Memory::Learn(const Board& board, const cluster::Snapshot& snapshot,
                                      Time now) {
  next_look_.reset();
  std::vector<Nomination> due;
  for (const BoardUnit& unit : board.units()) LearnUnit(unit, board, now);
  for (const auto& [uid, seat] : board.pods()) {
    const BoardUnit* unit = board.UnitOf(seat);
    if (unit != nullptr) {
      LearnPod(seat, *unit, snapshot, now, &due);
    } else if (!seat.pod->nominated_node_name.empty()) {
      Withdraw(seat, /*ours=*/true, &pods_[uid], &due);
    }
  }
  // In the order of who is first in the queue.
  std::sort(due.begin(), due.end(), [&](const Nomination& a, const Nomination& b) {
    const auto place = [&](const Nomination& nomination) {
      return std::pair(board.Find(nomination.pod->uid)->unit,
                       std::string_view(nomination.pod->name));
    };
    return place(a) < place(b);
  });
  ForgetOld();
  return due;
}

void Memory::LearnUnit(const BoardUnit& unit, const Board& board, Time now) {
  if (!unit.gang) return;
  UnitMemory& memory = units_[unit.key];
  memory.seen = round_;
  if (memory.rests_until) Look(*memory.rests_until);
  const auto bound = static_cast<int64_t>(board.BoundOf(unit.key).size());
  if (!unit.fits || bound >= unit.minimum) {
    memory.leased_since.reset();
    return;
  }
  if (!memory.leased_since) memory.leased_since = now;
  const std::chrono::milliseconds limit = unit.schedule_timeout_seconds
                                              ? std::chrono::seconds(*unit.schedule_timeout_seconds)
                                              : options_.timeout;
  if (now - *memory.leased_since < limit) return Look(*memory.leased_since + limit);
  PodPtr member;
  for (const auto& [uid, seat] : board.pods()) {
    if (board.UnitOf(seat) != &unit) continue;
    if (member == nullptr || seat.pod->name < member->name) member = seat.pod;
  }
  ++memory.turn;
  memory.leased_since.reset();
  timed_out_.push_back({unit.key, member, std::chrono::duration_cast<std::chrono::seconds>(limit)});
}

void Memory::BarrierFailed(const plan::UnitKey& gang, bool gave_up) {
  const auto found = units_.find(gang);
  if (found == units_.end()) return;
  found->second.leased_since.reset();
  if (gave_up) ++found->second.turn;
}

std::vector<Memory::TimedOut> Memory::TakeTimedOut() {
  return std::exchange(timed_out_, {});
}

void Memory::LearnPod(const BoardPod& seat, const BoardUnit& unit,
                      const cluster::Snapshot& snapshot, Time now, std::vector<Nomination>* due) {
  const Pod& pod = *seat.pod;
  PodMemory& memory = pods_[pod.uid];
  memory.seen = round_;
  memory.unit = unit.key;
  memory.leased = seat.node;
  CheckNomination(seat, snapshot, now, &memory);
  if (seat.node.empty()) {
    Withdraw(seat, unit.gang, &memory, due);
    return;
  }
  if (pod.nominated_node_name == seat.node) return;
  const uint64_t stamp = StampOf(snapshot, seat.node);
  if (IsDue(seat, unit, stamp, now, memory)) {
    due->push_back({seat.pod, seat.node, stamp});
  } else {
    Withdraw(seat, unit.gang, &memory, due);
  }
}

void Memory::Withdraw(const BoardPod& seat, bool ours, PodMemory* memory,
                      std::vector<Nomination>* due) {
  memory->seen = round_;
  const std::string& nominated = seat.pod->nominated_node_name;
  if (nominated.empty() || nominated == memory->withdrawn) return;
  if (ours || nominated == memory->nominated) due->push_back({seat.pod, "", 0});
}

// What the scheduler did with a nomination that it was given.
void Memory::CheckNomination(const BoardPod& seat, const cluster::Snapshot& snapshot, Time now,
                             PodMemory* memory) {
  const Pod& pod = *seat.pod;
  if (memory->answered || memory->nominated.empty()) return;
  if (memory->nominated != seat.node) {
    memory->answered = true;
    return;
  }
  const bool changed =
      pod.unscheduled_message != memory->message_before && !IsOurs(pod.unscheduled_message);
  const Time due =
      std::min(std::max(memory->nominated_at, last_call_) + options_.lease_grace,
               memory->nominated_at + MemoryOptions::kBusyGraces * options_.lease_grace);
  if (!changed && now < due) return Look(due);
  Refuse(pod.namespace_ + "/" + pod.name, pod.uid, seat.node, StampOf(snapshot, seat.node),
         changed ? pod.unscheduled_message : "it did not ask about the pod", now);
  Look(now);
}

bool Memory::IsDue(const BoardPod& seat, const BoardUnit& unit, uint64_t stamp, Time now,
                   const PodMemory& memory) {
  const bool rejected = memory.rejected || (unit.gang && IsRejected(*seat.pod));
  if (!rejected && !(unit.gang && options_.nominate_all)) return false;
  // Never the same again, unless something has changed there.
  if (memory.nominated == seat.node && memory.nominated_stamp == stamp) return false;
  if (memory.asked && now - *memory.asked < options_.awake_for) {
    Look(*memory.asked + options_.awake_for);
    return false;
  }
  return true;
}

void Memory::Nominated(const Nomination& nomination, bool written, Time now) {
  PodMemory& memory = pods_[nomination.pod->uid];
  if (!written) {
    memory.asked = now;  // not at once again
    return;
  }
  if (nomination.node.empty()) {
    memory.withdrawn = nomination.pod->nominated_node_name;
    memory.nominated.clear();
    return;
  }
  memory.nominated = nomination.node;
  memory.nominated_stamp = nomination.stamp;
  memory.nominated_at = now;
  memory.message_before = nomination.pod->unscheduled_message;
  memory.answered = false;
  memory.withdrawn.clear();
}

void Memory::ForgetOld() {
  constexpr uint64_t kRounds = 64;
  const uint64_t round = round_;
  if (round % kRounds != 0) return;
  const auto is_old = [&](const auto& entry) { return entry.second.seen + kRounds < round; };
  absl::erase_if(pods_, is_old);
  std::erase_if(units_, is_old);
}

}  // namespace outrigger::gang
