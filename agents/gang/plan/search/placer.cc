#include "gang/plan/search/placer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "absl/container/flat_hash_set.h"

namespace outrigger::plan {
namespace {

// A look costs some ten nanoseconds. One unit must not use up what is left for those behind it.
constexpr int64_t kLooksOfUnit = 100'000;
constexpr int64_t kLooksOfPlan = 2'000'000;
// A deeper search is a deeper stack, and what so many members leave over is found without it.
constexpr size_t kMostMembers = 2'000;

bool DifferInKind(const Seats& seats) {
  return seats.shapes.size() > 1 || seats.has_refusals || seats.has_pairs ||
         !seats.role_need.empty();
}

}  // namespace

Placer::Placer(NodeSpace* space, DomainTable* domains)
    : space_(space), domains_(domains), whole_(space), left_{kLooksOfPlan} {}

Placer::Outcome Placer::Place(const Unit& unit, Seats* seats) {
  Outcome outcome;
  if (unit.topology.required.empty()) {
    outcome.fits = OnGround(unit, &whole_, seats, &outcome.gave_up);
    return outcome;
  }
  for (const Choice& choice : Choices(unit, domains_->Of(unit.topology.required), *seats)) {
    if (!JoinPlaced(*space_, unit, *seats, choice.domain->slots)) continue;
    Ground ground(space_, &choice.domain->slots);
    if (!OnGround(unit, &ground, seats, &outcome.gave_up)) continue;
    outcome.fits = true;
    outcome.within = &choice.domain->slots;
    break;
  }
  return outcome;
}

// Wishes are those of all members: the others go first to where those are that have a place.
void Placer::Fill(const Unit& unit, const Outcome& outcome, Seats* seats) {
  const auto open = [](const Seat& seat) { return seat.slot == kNoSlot; };
  if (std::none_of(seats->seats.begin(), seats->seats.end(), open)) return;
  std::optional<Ground> within;
  if (outcome.within != nullptr) within.emplace(space_, outcome.within);
  Ground* const ground = within.has_value() ? &*within : &whole_;
  if (!unit.topology.preferred.empty()) Attempt(space_, ground, seats).KeepReservations();
  for (const std::string& label : unit.topology.preferred) {
    const std::vector<Slot> slots = SlotsBeside(unit, label, ground->slots(), *seats);
    Ground beside(space_, &slots);
    Attempt(space_, &beside, seats).Fill();
  }
  Attempt(space_, ground, seats).Fill();
}

// Of the slots those that share a value of the label with one that holds a member.
std::vector<Slot> Placer::SlotsBeside(const Unit& unit, const std::string& label,
                                      const std::vector<Slot>& slots, const Seats& seats) const {
  absl::flat_hash_set<Slot> taken;
  for (const std::string& node : unit.topology.bound_on) taken.insert(space_->Find(node));
  for (const Seat& seat : seats.seats) taken.insert(seat.slot);
  std::vector<Slot> beside;
  for (const Domain& domain : Divide(*space_, slots, {label})) {
    const bool holds = std::any_of(domain.slots.begin(), domain.slots.end(),
                                   [&](Slot slot) { return taken.contains(slot); });
    if (holds) beside.insert(beside.end(), domain.slots.begin(), domain.slots.end());
  }
  return beside;
}

bool Placer::OnGround(const Unit& unit, Ground* ground, Seats* seats, bool* gave_up) {
  if (Kept(ground, seats)) return true;
  for (const std::string& label : unit.topology.preferred) {
    if (InOneDomain(unit, label, *ground, seats)) return true;
  }
  if (!unit.topology.preferred.empty() && OverFewDomains(unit, *ground, seats)) return true;
  return Try(ground, seats, gave_up);
}

// Enough members still have the places that they were given: nothing is moved, even if there are
// better places by now, since kube-scheduler may be at work with these.
bool Placer::Kept(Ground* ground, Seats* seats) {
  const auto has_place = [](const Seat& seat) {
    return seat.reserved != kNoSlot || seat.waits_on != kNoSlot;
  };
  if (std::none_of(seats->seats.begin(), seats->seats.end(), has_place)) return false;
  Attempt attempt(space_, ground, seats);
  if (attempt.Greedy(/*keep_reservations=*/true, {})) return true;
  attempt.Undo();
  return false;
}

bool Placer::Try(Ground* ground, Seats* seats, bool* gave_up) {
  Attempt attempt(space_, ground, seats);
  const auto reserved = [](const Seat& seat) { return seat.reserved != kNoSlot; };
  if (std::any_of(seats->seats.begin(), seats->seats.end(), reserved)) {
    if (attempt.Greedy(/*keep_reservations=*/true, seats->order)) return true;
    attempt.Undo();
  }
  if (attempt.Greedy(/*keep_reservations=*/false, seats->order)) return true;
  attempt.Undo();
  if (!DifferInKind(*seats)) return false;  // the first way is as good as any
  const std::vector<uint32_t> small_first(seats->order.rbegin(), seats->order.rend());
  if (attempt.Greedy(/*keep_reservations=*/false, small_first)) return true;
  attempt.Undo();
  Effort effort{std::min(kLooksOfUnit, left_.looks)};
  const int64_t before = effort.looks;
  const bool found = seats->seats.size() <= kMostMembers && attempt.Deep(&effort);
  left_.looks -= before - std::max<int64_t>(0, effort.looks);
  *gave_up |= effort.exhausted || seats->seats.size() > kMostMembers;
  if (!found) attempt.Undo();
  return found;
}

bool Placer::InOneDomain(const Unit& unit, const std::string& label, const Ground& ground,
                         Seats* seats) {
  const std::vector<Domain> domains = Divide(*space_, ground.slots(), {label});
  for (const Choice& choice : Choices(unit, domains, *seats)) {
    Ground inner(space_, &choice.domain->slots);
    bool gave_up = false;  // a wish: what was not found here is looked for on the whole ground
    if (Try(&inner, seats, &gave_up)) return true;
  }
  return false;
}

bool Placer::OverFewDomains(const Unit& unit, const Ground& ground, Seats* seats) {
  const std::vector<Domain> domains =
      Divide(*space_, ground.slots(), {unit.topology.preferred.front()});
  std::vector<std::pair<int64_t, const Domain*>> by_room;
  for (const Domain& domain : domains) {
    int64_t room = 0;
    HasRoom(domain.slots, *seats, &room);
    by_room.emplace_back(room, &domain);
  }
  std::stable_sort(by_room.begin(), by_room.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Slot> slots;
  for (const auto& [room, domain] : by_room) {
    slots.insert(slots.end(), domain->slots.begin(), domain->slots.end());
  }
  Ground ordered(space_, &slots, /*keep_order=*/true);
  Attempt attempt(space_, &ordered, seats);
  if (attempt.Greedy(/*keep_reservations=*/true, seats->order)) return true;
  attempt.Undo();
  return false;
}

// Domains with room for the minimum: those with most of the nodes of bound members and of
// reservations first, then the fullest, so that large holes stay.
std::vector<Placer::Choice> Placer::Choices(const Unit& unit, const std::vector<Domain>& domains,
                                            const Seats& seats) const {
  absl::flat_hash_set<Slot> held;
  for (const std::string& node : unit.topology.bound_on) held.insert(space_->Find(node));
  for (const Seat& seat : seats.seats) held.insert(seat.reserved);
  held.erase(kNoSlot);
  std::vector<Choice> choices;
  for (const Domain& domain : domains) {
    Choice choice{&domain, 0, 0};
    if (!HasRoom(domain.slots, seats, &choice.room)) continue;
    if (!held.empty()) {
      choice.held = std::count_if(domain.slots.begin(), domain.slots.end(),
                                  [&](Slot slot) { return held.contains(slot); });
    }
    choices.push_back(choice);
  }
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::tuple(-a.held, a.room) < std::tuple(-b.held, b.room);
  });
  return choices;
}

// False: some shape has too little room by itself. `room`: how many members there is room for, were
// they all of the shape that there is least room for.
bool Placer::HasRoom(const std::vector<Slot>& slots, const Seats& seats, int64_t* room) const {
  std::map<ShapeIndex, int64_t> counts;
  for (const Seat& seat : seats.seats) ++counts[seat.shape];
  const int64_t spare = static_cast<int64_t>(seats.seats.size()) - seats.need;
  *room = std::numeric_limits<int64_t>::max();
  bool enough = true;
  for (const auto& [shape, count] : counts) {
    int64_t sum = 0;
    for (const Slot slot : slots) sum += space_->Room(shape, slot);
    enough &= sum >= count - spare;
    *room = std::min(*room, sum);
  }
  return enough;
}

}  // namespace outrigger::plan
