#include "gang/desk/nominations/memory.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "fmt/format.h"
#include "gang/desk/nominations/waits.h"

namespace outrigger::desk {
namespace {

// A gang that is not planned for less than this, as its member is being replaced, is the same.
constexpr std::chrono::seconds kGoneFor{10};
// A change that is older was known to kube-scheduler in the attempt of which is heard now.
constexpr std::chrono::milliseconds kSeenBySchedulers{250};

}  // namespace

void Memory::Pause(Time now) {
  if (!paused_since_) paused_since_ = now;
  paused_after_ = round_;
}

void Memory::Resume(Time now) {
  const auto paused = std::exchange(paused_since_, std::nullopt);
  if (!paused) return;
  for (auto& [key, unit] : units_) {
    if (unit.reserved_since) *unit.reserved_since += now - *paused;
  }
  // What the scheduler asked meanwhile was answered with an error, which it wrote to the pod, and
  // is not known here.
  for (auto& [uid, pod] : pods_) pod.nomination.Apply(NominationEvent::kPaused);
  if (now - *paused < options_.nomination_grace) return;
  for (auto& [uid, pod] : pods_) pod.nomination.RestartTime(now);
}

void Memory::Take(const Inbox::Content& content,
                  const std::shared_ptr<const ClusterSnapshot>& snapshot, Time now) {
  Resume(now);
  if (newer_ == nullptr || now - newer_at_ >= kSeenBySchedulers) {
    older_ = std::exchange(newer_, snapshot);
    newer_at_ = now;
  }
  last_call_ = std::max(last_call_, content.last_call);
  asks_about_all_ = content.asks_about_all;
  for (const Inbox::GaveUpEntry& gang : content.gave_up) {
    const auto unit = units_.find(gang.key);
    // Otherwise its reservation has run out before that of its barrier, and began anew.
    const bool same_reservation = unit != units_.end() && unit->second.reserved_since &&
                                  now - *unit->second.reserved_since >= gang.after;
    if (same_reservation) GiveUp(gang.key, gang.after, now, &unit->second);
  }
  for (const auto& [uid, move] : content.moves) pods_[uid].reserved = move.to;
  for (const auto& [uid, ask] : content.asks) OnAsk(ask, &pods_[uid]);
  for (const Inbox::Refusal& refusal : content.refusals) Refuse(refusal, *snapshot, now);
}

void Memory::Prepare(const std::map<plan::UnitKey, std::vector<Waiting>>& waiters,
                     const ClusterSnapshot& snapshot, Time now, std::vector<plan::Unit>* units,
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
      PrepareMember(waits ? &waiting->second : nullptr, snapshot, now, memory, &member);
    }
    if (memory == nullptr) continue;
    PrepareSpecs(snapshot, now, memory, &unit);
    if (memory->turn != 0 && now - memory->turned_at >= options_.behind_for) memory->turn = 0;
    unit.rank.turn = memory->turn;
    turned |= unit.rank.turn != 0;
  }
  prepared_.EndRound([](const PodMemory*) {});
  turned |= PutWaitersFirst(units);
  const auto rests = [&](const plan::Unit& unit) {
    // Perhaps since a moment ago: Learn() has not seen it yet.
    if (options_.mode == Mode::kAlone && unit.bound > 0) return false;
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

std::vector<Nomination> Memory::Learn(const Board& board, const ClusterSnapshot& snapshot,
                                      Time now) {
  next_look_ = std::exchange(look_at_, {});
  nominated_ = {};
  awaits_asks_ = false;
  holds_ = board.holds();
  std::vector<Nomination> due;
  Contenders contenders(&board, &snapshot);
  StandIns stand_ins(&board, snapshot.NodeCount(), options_.samples_nodes);
  for (const BoardUnit& unit : board.units()) {
    LearnUnit(unit, board, &contenders, &stand_ins, now);
  }
  for (auto& [key, unit] : units_) {
    if (unit.seen != round_ && !unit.gone_since) unit.gone_since = now;
    if (unit.rests_until && now < *unit.rests_until) next_look_.Add(*unit.rests_until);
    for (const SpecRefusals& spec : unit.specs) {
      if (const auto end = spec.FirstEnd()) next_look_.Add(*end);
    }
  }
  for (const plan::GroupState& group : board.groups()) {
    if (group.bound == 0 || group.bound < group.needed) continue;
    const auto whole = units_.find(group.key);  // on the board it may be no more
    if (whole != units_.end()) whole->second.reserved_since.reset();
  }
  board.ForEachPod([&](const BoardPod& seat) {
    if (seat.unit != nullptr) return LearnPod(seat, *seat.unit, snapshot, now, &due);
    LearnUnplanned(seat, now, &due);
  });
  learnt_.EndRound([](const PodMemory*) {});
  // What is taken back first: kube-scheduler counts it against the pod that has the place now. Then
  // in the order of who is first in the queue.
  std::sort(due.begin(), due.end(), [&](const Nomination& a, const Nomination& b) {
    if (a.node.empty() != b.node.empty()) return a.node.empty();
    const BoardUnit* const of_a = board.Find(a.pod->uid)->unit;
    const BoardUnit* const of_b = board.Find(b.pod->uid)->unit;
    if ((of_a == nullptr) != (of_b == nullptr)) return of_b == nullptr;
    const auto by_rank = of_a == nullptr ? std::strong_ordering::equal : of_a->rank <=> of_b->rank;
    return std::is_neq(by_rank) ? std::is_lt(by_rank) : a.pod->name < b.pod->name;
  });
  ForgetOld();
  return due;
}

void Memory::LearnUnit(const BoardUnit& unit, const Board& board, Contenders* contenders,
                       StandIns* stand_ins, Time now) {
  if (!unit.gang) {
    const auto known = units_.find(unit.key);
    if (known != units_.end()) known->second.seen = round_;
    return;
  }
  UnitMemory& memory = units_[unit.key];
  memory.seen = round_;
  ChoosePlaces(unit, contenders, stand_ins, &memory);
  // Its time begins anew after it was bound or gone, but not with each member that is replaced.
  const auto gone = std::exchange(memory.gone_since, std::nullopt);
  if (gone && now - *gone >= kGoneFor) memory.reserved_since.reset();
  const auto bound = static_cast<int64_t>(board.BoundOf(unit.key).size());
  memory.in_part = options_.mode == Mode::kAlone && bound > 0;
  if (memory.in_part) memory.rests_until.reset();
  if (memory.rests_until && *memory.rests_until <= now) memory.rests_until.reset();
  if (memory.turn != 0) next_look_.Add(memory.turned_at + options_.behind_for);
  // One in part comes before all others as long as that lasts, whatever it gives up.
  if (!unit.fits || bound >= unit.minimum || (memory.in_part && unit.rank.in_part)) {
    memory.reserved_since.reset();
    return;
  }
  // A gang whose turn has not come cannot be complete. One whose nominations or gates the API
  // server refuses would keep its places from all other pods for ever.
  if (!memory.reserved_since || (unit.held && awaiting_turn_.contains(unit.key))) {
    memory.reserved_since = now;
    memory.had_open_claims = false;
  }
  memory.had_open_claims |= unit.has_open_claims;
  const std::chrono::milliseconds limit = options_.patience.Of(unit, memory.had_open_claims);
  if (now - *memory.reserved_since < limit) return next_look_.Add(*memory.reserved_since + limit);
  GiveUp(unit.key, limit, now, &memory);
  if (unit.held || unit.releasing) {
    memory.rests_until = now + kLongestRest;
    memory.refused = fmt::format("it could not be released within {} s",
                                 std::chrono::duration_cast<std::chrono::seconds>(limit).count());
  }
  next_look_.Add(now);  // who comes before it now may have its places
}

void Memory::GiveUp(const plan::UnitKey& gang, std::chrono::milliseconds after, Time now,
                    UnitMemory* memory) {
  ++memory->turn;
  memory->turned_at = now;
  memory->reserved_since.reset();
  timed_out_.push_back({gang, std::chrono::duration_cast<std::chrono::seconds>(after)});
}

std::vector<TimedOut> Memory::TakeTimedOut() {
  return std::exchange(timed_out_, {});
}

void Memory::ForgetOld() {
  constexpr uint64_t kRounds = 64;
  const uint64_t round = round_;
  if (round % kRounds != 0) return;
  const auto is_old = [&](const auto& entry) { return entry.second.seen + kRounds < round; };
  absl::erase_if(pods_, is_old);
  std::erase_if(units_, is_old);
}

}  // namespace outrigger::desk
