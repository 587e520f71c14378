#include "gang/desk/kept_nodes.h"

#include <algorithm>
#include <utility>

#include "gang/plan/order.h"

namespace outrigger::desk {
namespace {

// For so long none are kept for a unit for which they were kept in vain.
constexpr std::chrono::minutes kInVainFor{10};

// As long as evicted pods are waited for by the agent that evicted them.
constexpr std::chrono::minutes kPromisedFor{5};

// Of such pods each that waits for its node would have it kept, those of a DaemonSet all nodes.
bool IsForOneNode(const plan::Unit& unit) {
  return unit.key.dialect == plan::Dialect::kNone && plan::IsForOneNode(*unit.members[0].pod);
}

// No scheduler tries it: the nomination is an agent's.
bool IsNominatedAtItsGate(const plan::Member& member) {
  return !member.pod->scheduling_gates.empty() && !member.ahead.empty();
}

bool IsBeingLeft(const ClusterSnapshot& snapshot, const std::string& node) {
  const auto pods = snapshot.PodsOn(node);
  return std::any_of(pods.begin(), pods.end(),
                     [](const PodView& pod) { return pod.Unpack().being_deleted; });
}

// Its nominations, if pods leave these places; else nothing.
std::optional<plan::Promise> PromiseTo(const plan::Unit& unit, const ClusterSnapshot& snapshot) {
  plan::Promise promise{unit.key, {}};
  bool is_any_left = false;
  for (const plan::Member& member : unit.members) {
    if (!IsNominatedAtItsGate(member)) continue;
    promise.nodes[member.pod->uid] = member.ahead;
    is_any_left = is_any_left || IsBeingLeft(snapshot, member.ahead);
  }
  if (!is_any_left) return std::nullopt;
  return promise;
}

}  // namespace

void UnfitTimes::OnPlan(const Board& board, size_t ahead, std::chrono::seconds time, Time now) {
  ++plans_;
  next_ahead_.reset();
  size_t at = 0;
  const auto look_up = [this](const BoardUnit* unit) {
    return &*entries_.try_emplace(unit->key).first;
  };
  for (const BoardUnit& unit : board.units()) {
    const bool is_ahead = at++ < ahead;
    if (unit.fits && !FitsOnlyNow(unit.key, now)) continue;
    Entry& entry =
        in_step_.Find(&unit, look_up, [&](const auto& of) { return of.first == unit.key; })->second;
    entry.seen = plans_;
    if (unit.fits) continue;
    if (!entry.since) entry.since = now;
    entry.fits_since.reset();
    const Time due = *entry.since + time;
    if (is_ahead && due > now) next_ahead_ = std::min(next_ahead_.value_or(due), due);
  }
  in_step_.EndRound([](const Entries::value_type*) {});
  for (const plan::GroupState& group : board.groups()) {
    const auto found = entries_.find(group.key);
    if (found != entries_.end() && Waits(group)) found->second.seen = plans_;
  }
  std::erase_if(entries_, [this](const auto& entry) { return entry.second.seen != plans_; });
}

// Of one that did not fit before.
bool UnfitTimes::FitsOnlyNow(const plan::UnitKey& key, Time now) {
  if (settles_.count() == 0) return false;
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.since) return false;
  std::optional<Time>& fits_since = found->second.fits_since;
  if (!fits_since) fits_since = now;
  return now - *fits_since < settles_;
}

bool UnfitTimes::HasNotFit(const plan::UnitKey& key, std::chrono::seconds time, Time now) const {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.since) return false;
  return now - *found->second.since >= time;
}

bool KeptNodes::Adopt(std::span<const plan::Unit> units, const plan::Plan& first,
                      const ClusterSnapshot& snapshot, plan::PlanOptions* options) {
  if (!after_ || std::exchange(has_adopted_, true)) return false;
  bool any = false;
  for (size_t i = 0; i < units.size(); ++i) {
    const plan::Unit& unit = units[i];
    if (first.units[i].fits || unit.key.dialect == plan::Dialect::kNone) continue;
    if (std::none_of(unit.members.begin(), unit.members.end(), IsNominatedAtItsGate)) continue;
    any = true;
    if (!promise_) promise_ = PromiseTo(unit, snapshot);
    const bool is_promised = promise_ && promise_->unit == unit.key;
    if (!is_promised) unfit_.Adopt(unit.key, now_ - *after_);
  }
  options->promise = promise_;
  promised_until_ = now_ + kPromisedFor;
  return any;
}

void KeptNodes::Prepare(std::span<const plan::Unit> units, Time now, plan::PlanOptions* options) {
  if (!after_) return;
  now_ = now;
  planned_ = units.size();
  std::erase_if(in_vain_, [now](const auto& entry) { return entry.second <= now; });
  options->kept = nodes_;
  if (promise_) options->promise = promise_;
  hopeless_.clear();
  options->may_reserve_for = [this, now](const plan::Unit& unit) {
    const bool may = unfit_.HasNotFit(unit.key, *after_, now) && !IsForOneNode(unit) &&
                     !in_vain_.contains(unit.key);
    if (may) hopeless_.insert(unit.key);  // until it is chosen
    return may;
  };
}

void KeptNodes::OnPlan(const plan::Plan& planned, plan::PlanOptions& options) {
  if (!after_) return;
  kept_for_ = planned.kept_for;
  if (kept_for_) hopeless_.erase(*kept_for_);
  is_in_vain_ = planned.kept_in_vain;
  if (is_in_vain_) in_vain_[*kept_for_] = now_ + kInVainFor;
  options.may_reserve_for = nullptr;
  options.reserve_for = kept_for_;
  // While it fits only for a moment the same nodes are to be kept for it afterwards.
  if (!planned.kept.empty() || !kept_for_) nodes_ = planned.kept;
}

void KeptNodes::EndPromise(const Board& board, Time now) {
  if (!promise_) return;
  const BoardUnit* const unit = board.FindUnit(promise_->unit);
  const bool is_over = now >= promised_until_;
  next_ = is_over ? now : std::min(next_.value_or(promised_until_), promised_until_);
  if (is_over || unit == nullptr || unit->fits) promise_.reset();
}

void KeptNodes::OnBoard(const Board& board, Time now) {
  if (!after_) return;
  const auto is_next = [&](size_t i) { return kept_for_ && board.units()[i].key == *kept_for_; };
  size_t ahead = 0;
  while (ahead < planned_ && !is_next(ahead)) ++ahead;
  // The next of those ahead has its turn; of the units that rest none gets one by time.
  unfit_.OnPlan(board, ahead, *after_, now);
  next_ = unfit_.NextAhead();
  if (is_in_vain_) next_ = now;  // another one has its turn
  EndPromise(board, now);
}

}  // namespace outrigger::desk
