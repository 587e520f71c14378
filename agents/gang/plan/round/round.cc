#include "gang/plan/round/round.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gang/plan/nodes/domains.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/search/attempt.h"
#include "gang/plan/search/causes.h"
#include "gang/plan/search/seats.h"
#include "gang/plan/unit.h"

namespace outrigger::plan {
namespace {

const std::string& PlaceOf(const Member& member) {
  return member.waits_on.empty() ? member.reserved : member.waits_on;
}

// How much of each shape is still missing. A node counts for one shape at a time: the room that a
// node has for both is not there twice.
class Missing {
 public:
  Missing(const NodeSpace& space, const Seats& seats) : space_(space) {
    std::map<ShapeIndex, int64_t> counts;
    for (const Seat& seat : seats.seats) ++counts[seat.shape];
    int64_t spare = static_cast<int64_t>(seats.seats.size()) - seats.need;
    for (auto at = seats.order.rbegin(); at != seats.order.rend() && spare > 0; ++at, --spare) {
      --counts[seats.seats[*at].shape];
    }
    for (const uint32_t index : seats.order) {
      const ShapeIndex shape = seats.seats[index].shape;
      const auto same = [&](const auto& entry) { return entry.first == shape; };
      if (std::any_of(counts_.begin(), counts_.end(), same)) continue;
      counts_.emplace_back(shape, counts[shape]);
    }
  }

  bool None() const {
    return std::all_of(counts_.begin(), counts_.end(), [](const auto& c) { return c.second <= 0; });
  }
  // False: empty nodes are too few even for one shape by itself. It costs less than an order.
  bool CouldDo(const std::vector<Slot>& slots) const {
    return std::all_of(counts_.begin(), counts_.end(), [&](const auto& entry) {
      int64_t left = entry.second;
      for (size_t i = 0; i < slots.size() && left > 0; ++i) {
        left -= space_.RoomWhenEmpty(entry.first, slots[i]);
      }
      return left <= 0;
    });
  }
  // False: the node is of no use.
  bool Use(Slot slot, bool when_empty = true) {
    for (auto& [shape, count] : counts_) {
      if (count <= 0) continue;
      const int64_t room =
          when_empty ? space_.RoomWhenEmpty(shape, slot) : space_.Room(shape, slot);
      if (room <= 0) continue;
      count -= room;
      return true;
    }
    return false;
  }

 private:
  const NodeSpace& space_;
  std::vector<std::pair<ShapeIndex, int64_t>> counts_;  // the largest shape first
};

std::vector<Slot> ChooseFrom(const NodeSpace& space, const std::vector<Slot>& slots,
                             const Seats& seats, const std::vector<std::string>& before) {
  Missing missing(space, seats);
  if (!missing.CouldDo(slots)) return {};
  const ShapeIndex shape = seats.seats[seats.order.front()].shape;
  std::set<Slot> reserved;
  for (const Seat& seat : seats.seats) reserved.insert(seat.reserved);
  std::vector<std::tuple<bool, int64_t, Slot>> ordered;
  for (const Slot slot : slots) {
    const bool had = reserved.contains(slot) ||
                     std::binary_search(before.begin(), before.end(), space.node(slot).name);
    ordered.emplace_back(!had, -space.Room(shape, slot), slot);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::tuple(std::get<0>(a), std::get<1>(a)) < std::tuple(std::get<0>(b), std::get<1>(b));
  });
  std::vector<Slot> chosen;
  for (const auto& [is_new, room, slot] : ordered) {
    if (missing.None()) break;
    if (missing.Use(slot)) chosen.push_back(slot);
  }
  return missing.None() ? chosen : std::vector<Slot>();
}

// The kept nodes while members are shared out to them.
class Shares {
 public:
  Shares(const NodeSpace& space, std::vector<Slot> kept) : space_(space) {
    // So that it does not depend on what is free there now, and stays the same.
    std::sort(kept.begin(), kept.end(),
              [&](Slot a, Slot b) { return space.node(a).name < space.node(b).name; });
    for (const Slot slot : kept) shares_.push_back({slot, {}, 0});
  }

  // True if the seat gets room on that node, or with kNoSlot on any.
  bool Take(const Seat& seat, Slot wanted, std::string* node) {
    for (Share& share : shares_) {
      if (wanted != kNoSlot && share.slot != wanted) continue;
      if (!MayTake(seat, &share)) continue;
      --share.left;
      *node = space_.node(share.slot).name;
      return true;
    }
    return false;
  }

 private:
  struct Share {
    Slot slot;
    std::optional<ShapeIndex> shape;
    int64_t left;
  };

  bool MayTake(const Seat& seat, Share* share) {
    if (seat.IsRefused(share->slot)) return false;
    if (!share->shape) {
      const int64_t room = space_.RoomWhenLeft(seat.shape, share->slot);
      if (room <= 0) return false;
      share->shape = seat.shape;
      share->left = room;
    }
    return *share->shape == seat.shape && share->left > 0;
  }

  const NodeSpace& space_;
  std::vector<Share> shares_;
};

// Nodes on which the unit would fit, were they empty: of `before` as long as they suffice, then
// those with the most room now. Empty: there are not enough.
std::vector<Slot> ChooseKept(const NodeSpace& space, DomainTable* domains, const Unit& unit,
                             const Seats& seats, const std::vector<std::string>& before) {
  if (seats.seats.empty()) return {};
  if (unit.topology.required.empty()) return ChooseFrom(space, space.in_order(), seats, before);
  std::vector<Slot> best;
  int64_t best_kept = -1;
  for (const Domain& domain : domains->Of(unit.topology.required)) {
    if (!JoinPlaced(space, unit, seats, domain.slots)) continue;  // of no use there
    std::vector<Slot> chosen = ChooseFrom(space, domain.slots, seats, before);
    if (chosen.empty()) continue;
    const auto kept = std::count_if(chosen.begin(), chosen.end(), [&](Slot slot) {
      return std::binary_search(before.begin(), before.end(), space.node(slot).name);
    });
    const bool better = kept > best_kept || (kept == best_kept && chosen.size() < best.size());
    if (!better) continue;
    best_kept = kept;
    best = std::move(chosen);
  }
  return best;
}

// True if `kept` has room for the unit now.
bool HaveRoom(const NodeSpace& space, const Seats& seats, const std::vector<Slot>& kept) {
  Missing missing(space, seats);
  for (const Slot slot : kept) missing.Use(slot, /*when_empty=*/false);
  return missing.None();
}

// Which member is to have room on which of `kept`, once the pods that run there are gone: by seat,
// the node's name; empty: none has room left. On a node are members of one shape; they stay where
// Seat::reserved has them if they can. What is placed virtually there keeps its room.
std::vector<std::string> ShareOut(const NodeSpace& space, const Seats& seats,
                                  std::vector<Slot> kept) {
  std::vector<std::string> nodes(seats.seats.size());
  Shares shares(space, std::move(kept));
  for (const uint32_t index : seats.order) {
    const Seat& seat = seats.seats[index];
    if (seat.reserved != kNoSlot) shares.Take(seat, seat.reserved, &nodes[index]);
  }
  for (const uint32_t index : seats.order) {
    if (nodes[index].empty()) shares.Take(seats.seats[index], kNoSlot, &nodes[index]);
  }
  return nodes;
}

bool SameLevel(const Rank& a, const Rank& b) {
  return a.first == b.first && a.group_priority == b.group_priority &&
         a.ordered_priority() == b.ordered_priority();
}

// Nothing but the shape of its pod decides whether it fits.
bool IsBare(const Unit& unit) {
  if (unit.members.size() != 1 || unit.minimum != 1 || unit.bound != 0) return false;
  const Member& member = unit.members[0];
  return member.reserved.empty() && member.waits_on.empty() && member.refused.empty() &&
         member.refused_to_spec == nullptr && unit.roles.empty() && unit.min_resources.empty() &&
         unit.topology.required.empty() && unit.topology.preferred.empty() &&
         unit.topology.bound_on.empty();
}

bool AnyIsOpen(const Seats& seats) {
  return std::any_of(seats.seats.begin(), seats.seats.end(),
                     [](const Seat& seat) { return seat.slot == kNoSlot; });
}

}  // namespace

// A single pod loses nothing by another place.
bool HasKeptPlaces(const Unit& unit) {
  return unit.key.dialect != Dialect::kNone &&
         std::any_of(unit.members.begin(), unit.members.end(),
                     [](const Member& member) { return !PlaceOf(member).empty(); });
}

void KeptPlaces::Learn(std::span<const Unit> units) {
  for (size_t i = 0; i < units.size(); ++i) {
    if (!HasKeptPlaces(units[i])) continue;
    Keeper keeper{i, {}, {}};
    for (const Member& member : units[i].members) {
      const std::string& node = PlaceOf(member);
      const Slot slot = node.empty() ? kNoSlot : space_->Find(node);
      if (slot != kNoSlot) keeper.places.push_back({shapes_->Of(member), slot});
    }
    keepers_.push_back(std::move(keeper));
  }
}

bool KeptPlaces::GiveUp(Keeper* keeper) {
  for (const Place& place : keeper->kept) space_->Give(place.shape, place.slot, 1);
  return !std::exchange(keeper->kept, {}).empty();
}

bool KeptPlaces::KeepFrom(size_t next) {
  bool freed = false;
  for (; first_ < keepers_.size() && keepers_[first_].unit < next; ++first_) {
    freed |= GiveUp(&keepers_[first_]);
  }
  if (std::exchange(keeps_, true)) return freed;
  for (size_t i = first_; i < keepers_.size(); ++i) {
    for (const Place& place : keepers_[i].places) {
      if (!space_->HasRoom(place.shape, place.slot)) continue;
      space_->Take(place.shape, place.slot, 1);
      keepers_[i].kept.push_back(place);
    }
  }
  return freed;
}

bool KeptPlaces::Release() {
  keeps_ = false;
  bool freed = false;
  for (size_t i = first_; i < keepers_.size(); ++i) freed |= GiveUp(&keepers_[i]);
  return freed;
}

Round::Round(NodeSpace* space, DomainTable* domains, ShapeTable* shapes, const PlanOptions& options)
    : space_(space),
      domains_(domains),
      shapes_(shapes),
      options_(options),
      placer_(space, domains),
      kept_(space, shapes) {}

void Round::Watch(size_t index, std::function<void(const Unit&, const Seats&)> see) {
  watched_ = index;
  see_ = std::move(see);
}

void Round::Run(std::span<const Unit> units) {
  // A new resource means new rows: all shapes must be known before anything is placed.
  shapes_->Learn(units);
  for (const Unit& unit : units) {
    if (!unit.min_resources.empty()) space_->AmountsOf(unit.min_resources);
  }
  kept_.Learn(units);
  plan_.units.reserve(units.size());
  for (size_t from = 0; from < units.size();) {
    size_t to = from + 1;
    while (to < units.size() && SameLevel(units[from].rank, units[to].rank)) ++to;
    PlanLevel(units, from, to);
    from = to;
  }
}

// Members over the minimum wait for the minimums of their own priority, not for those below it.
void Round::PlanLevel(std::span<const Unit> units, size_t from, size_t to) {
  std::vector<Open> open;
  for (size_t i = from; i < to; ++i) {
    const auto shapes = shapes_->learnt().subspan(first_member_, units[i].members.size());
    first_member_ += shapes.size();
    if (const Cause* const cause = KnownToFail(units[i], i, shapes)) {
      plan_.units.emplace_back().cause = *cause;
      continue;
    }
    Seats seats = SeatsOf(units[i], space_, shapes);
    // Others are going so that as much is free; it does not come all at once.
    if (options_.promise && options_.promise->unit == units[i].key) seats.in_all.clear();
    Placer::Outcome outcome;
    UnitPlan plan = PlanUnit(units[i], i, &seats, &outcome);
    const bool more = plan.fits && AnyIsOpen(seats);
    if (plan.fits && !more) Write(seats, &plan);
    if (!plan.fits && seats.plain && IsBare(units[i])) failed_alone_[shapes[0]] = plan.cause;
    plan_.units.push_back(std::move(plan));
    if (more) open.push_back({i, std::move(seats), outcome});
  }
  Fill(units, to, &open);
}

// Most units of a long queue are single pods that ask for what another one did not get.
const Cause* Round::KnownToFail(const Unit& unit, size_t index,
                                std::span<const ShapeIndex> shapes) const {
  if (!IsBare(unit)) return nullptr;
  const auto failed = failed_alone_.find(shapes[0]);
  if (failed == failed_alone_.end() || index == watched_) return nullptr;
  const bool is_promised = options_.promise && options_.promise->unit == unit.key;
  const bool is_kept_for = !hopeless_alone_.contains(shapes[0]) && MayReserve(unit);
  return is_promised || is_kept_for ? nullptr : &failed->second;
}

bool Round::MayReserve(const Unit& unit) const {
  if (!options_.may_reserve_for) return options_.reserve_for == unit.key;
  return !plan_.kept_for && options_.may_reserve_for(unit);
}

void Round::KeepFrom(size_t next) {
  if (kept_.KeepFrom(next)) SomeCameFree();
}

bool Round::Release() {
  const bool freed = kept_.Release();
  if (freed) SomeCameFree();
  return freed;
}

void Round::SomeCameFree() {
  placer_.SomeCameFree();
  most_free_.clear();
}

// The first of what the unit wants to be free in all that is not; or null. What is free only
// shrinks, so a sum that was too small is not made again.
const Amount* Round::ShortInAll(const Seats& seats) {
  for (const Amount& wanted : seats.in_all) {
    const auto [most, is_new] = most_free_.try_emplace(wanted.column, wanted.value);
    if (most->second < wanted.value) return &wanted;
    most->second = space_->FreeInAll(wanted.column);
    if (most->second < wanted.value) return &wanted;
  }
  return nullptr;
}

const Amount* Round::SurelyShortInAll(const Seats& seats) const {
  for (const Amount& wanted : seats.in_all) {
    const auto most = most_ever_free_.find(wanted.column);
    if (most != most_ever_free_.end() && most->second < wanted.value) return &wanted;
  }
  return nullptr;
}

Placer::Outcome Round::TryPlace(const Unit& unit, Seats* seats) {
  return ShortInAll(*seats) == nullptr ? placer_.Place(unit, seats) : Placer::Outcome();
}

// Places that gangs behind the unit have are taken only if it does not fit without.
Placer::Outcome Round::Place(const Unit& unit, size_t index, Seats* seats) {
  KeepFrom(index + 1);
  const Placer::Outcome outcome = TryPlace(unit, seats);
  return outcome.fits || !Release() ? outcome : TryPlace(unit, seats);
}

void Round::Fill(std::span<const Unit> units, size_t next, std::vector<Open>* open) {
  if (open->empty()) return;
  KeepFrom(next);
  for (Open& unit : *open) placer_.Fill(units[unit.index], unit.outcome, &unit.seats);
  if (Release()) {
    for (Open& unit : *open) placer_.Fill(units[unit.index], unit.outcome, &unit.seats);
  }
  for (const Open& unit : *open) Write(unit.seats, &plan_.units[unit.index]);
}

// What is free only shrinks: a unit that asks for no less than one that failed fails, too.
Cause Round::KnownFailure(const Seats& seats) const {
  if (seats.plain) {
    const auto failed = failures_.find(seats.likeness);
    if (failed != failures_.end() && failed->second.need <= seats.need) return failed->second.cause;
  }
  return InAllCause(SurelyShortInAll(seats));
}

UnitPlan Round::PlanUnit(const Unit& unit, size_t index, Seats* seats, Placer::Outcome* outcome) {
  UnitPlan plan;
  plan.cause = FindMissing(unit, *seats);
  const bool lacks_members = plan.cause.kind != Cause::Class::kNone;
  if (!lacks_members) plan.cause = KnownFailure(*seats);
  if (plan.cause.kind == Cause::Class::kNone && seats->lost_waiter == nullptr) {
    *outcome = Place(unit, index, seats);
    plan.fits = outcome->fits;
  }
  if (!plan.fits) Release();  // why it does not fit is not that they are kept
  if (!plan.fits && plan.cause.kind == Cause::Class::kNone) {
    plan.cause = Fail(unit, *seats, outcome->gave_up);
  }
  const bool may_reserve = MayReserve(unit);
  if (plan.fits && may_reserve) plan_.kept_for = unit.key;
  if (plan.fits) return plan;
  if (index == watched_) see_(unit, *seats);  // what is kept for it is there for it
  // Nodes that are kept for its members would not make more of what is to be free in all.
  const bool is_short_in_all = plan.cause.kind == Cause::Class::kMinResources;
  if (may_reserve && !lacks_members && !is_short_in_all) Reserve(unit, *seats, &plan);
  if (options_.promise && options_.promise->unit == unit.key) Keep(unit, *seats, &plan);
  return plan;
}

Cause Round::InAllCause(const Amount* amount) const {
  if (amount == nullptr) return {};
  return {Cause::Class::kMinResources, space_->columns().Name(amount->column)};
}

Cause Round::Fail(const Unit& unit, const Seats& seats, bool gave_up) {
  if (const Amount* const amount = ShortInAll(seats)) {
    most_ever_free_[amount->column] = most_free_[amount->column];  // nothing is kept now
    return InAllCause(amount);
  }
  Cause cause = FindCause(space_, unit, seats, gave_up);
  if (seats.plain) failures_[seats.likeness] = {seats.need, cause};
  return cause;
}

bool Round::IsHopeless(const Seats& seats) const {
  const auto known = seats.plain ? hopeless_.find(seats.likeness) : hopeless_.end();
  return known != hopeless_.end() && known->second <= seats.need;
}

void Round::NoteHopeless(const Unit& unit, const Seats& seats) {
  if (!seats.plain) return;
  hopeless_[seats.likeness] = seats.need;
  if (IsBare(unit)) hopeless_alone_.insert(seats.shapes[0]);
}

void Round::Reserve(const Unit& unit, const Seats& seats, UnitPlan* plan) {
  if (IsHopeless(seats)) return;
  const std::vector<Slot> kept = ChooseKept(*space_, domains_, unit, seats, options_.kept);
  if (kept.empty()) return NoteHopeless(unit, seats);
  plan_.kept_for = unit.key;
  plan_.kept_in_vain = plan->cause.kind != Cause::Class::kWaiter && HaveRoom(*space_, seats, kept);
  if (options_.share_kept && unit.key.dialect != Dialect::kNone) {
    plan->promised = ShareOut(*space_, seats, kept);
  }
  for (const Slot slot : kept) {
    space_->Hold(slot);
    plan_.kept.push_back(space_->node(slot).name);
  }
  std::sort(plan_.kept.begin(), plan_.kept.end());
}

// What is not free yet becomes less than nothing, so that what others leave is kept as well.
void Round::Keep(const Unit& unit, const Seats& seats, UnitPlan* plan) {
  plan->promised.resize(seats.seats.size());
  for (size_t i = 0; i < seats.seats.size(); ++i) {
    const auto promised = options_.promise->nodes.find(unit.members[i].pod->uid);
    if (promised == options_.promise->nodes.end()) continue;
    const Slot slot = space_->Find(promised->second);
    if (slot == kNoSlot) continue;
    space_->Take(seats.seats[i].shape, slot, 1);
    plan->promised[i] = promised->second;
  }
}

void Round::Write(const Seats& seats, UnitPlan* plan) const {
  plan->nodes.resize(seats.seats.size());
  for (size_t i = 0; i < seats.seats.size(); ++i) {
    const Slot slot = seats.seats[i].slot;
    if (slot != kNoSlot) plan->nodes[i] = space_->node(slot).name;
  }
}

}  // namespace outrigger::plan
