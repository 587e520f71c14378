#include "gang/plan/search/attempt.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gang/plan/nodes/node_space.h"
#include "gang/plan/search/seats.h"

namespace outrigger::plan {
namespace {

/// Backtracking over all ways to place enough members of one unit on some nodes. Members of a
/// shape are interchangeable, and so are nodes on which the same is free: of what differs only by
/// an exchange one way is tried. Not thread-safe.
class DeepSearch {
 public:
  /// Seats that have a place keep it. All must outlive the search.
  DeepSearch(NodeSpace* space, const std::vector<Slot>& slots, Seats* seats, Effort* effort);
  /// True: Seat::slot says how. False: nothing was changed; there is no way, unless the effort is
  /// exhausted.
  bool Run();

 private:
  // Interchangeable members that have no place.
  struct SeatGroup {
    ShapeIndex shape;
    int role;
    std::vector<Seat*> seats;
  };

  void Collect();
  bool PlaceGroup(size_t kind);
  bool PlaceNext(size_t kind, size_t placed, size_t from);
  bool LeaveRest(size_t kind, size_t placed);
  int64_t MayLeave(const SeatGroup& kind) const;
  bool IsLikeOneBefore(size_t at, std::vector<size_t>* tried) const;

  NodeSpace* const space_;
  const std::vector<Slot>& slots_;
  Seats* const seats_;
  Effort* const effort_;
  std::vector<SeatGroup> groups_;
  int64_t spare_ = 0;                // members that may stay without a place
  std::vector<int64_t> role_spare_;  // of each role
};

DeepSearch::DeepSearch(NodeSpace* space, const std::vector<Slot>& slots, Seats* seats,
                       Effort* effort)
    : space_(space), slots_(slots), seats_(seats), effort_(effort) {
  Collect();
}

void DeepSearch::Collect() {
  std::vector<int64_t> roles(seats_->role_need.size());
  for (const uint32_t index : seats_->order) {
    Seat& seat = seats_->seats[index];
    if (seat.role >= 0) ++roles[static_cast<size_t>(seat.role)];
    if (seat.slot != kNoSlot) continue;
    const auto same = [&](const SeatGroup& kind) {
      return kind.shape == seat.shape && kind.role == seat.role &&
             kind.seats.front()->refused == seat.refused &&
             kind.seats.front()->refused_to_spec == seat.refused_to_spec;
    };
    const auto kind = std::find_if(groups_.begin(), groups_.end(), same);
    if (kind == groups_.end()) {
      groups_.push_back({seat.shape, seat.role, {&seat}});
    } else {
      kind->seats.push_back(&seat);
    }
  }
  spare_ = static_cast<int64_t>(seats_->seats.size()) - seats_->need;
  for (size_t i = 0; i < roles.size(); ++i) role_spare_.push_back(roles[i] - seats_->role_need[i]);
}

bool DeepSearch::Run() {
  if (spare_ < 0) return false;
  if (std::any_of(role_spare_.begin(), role_spare_.end(), [](int64_t n) { return n < 0; })) {
    return false;
  }
  return PlaceGroup(0);
}

int64_t DeepSearch::MayLeave(const SeatGroup& kind) const {
  return kind.role < 0 ? spare_ : std::min(spare_, role_spare_[static_cast<size_t>(kind.role)]);
}

bool DeepSearch::PlaceGroup(size_t index) {
  if (index == groups_.size()) return true;
  const SeatGroup& kind = groups_[index];
  // Without this bound a kind that cannot be placed at all would be found out again and again.
  int64_t missing = static_cast<int64_t>(kind.seats.size()) - MayLeave(kind);
  for (size_t i = 0; i < slots_.size() && missing > 0; ++i) {
    missing -= space_->Room(kind.shape, slots_[i]);
    --effort_->looks;
  }
  return missing <= 0 && PlaceNext(index, 0, 0);
}

bool DeepSearch::PlaceNext(size_t index, size_t placed, size_t from) {
  SeatGroup& kind = groups_[index];
  if (placed == kind.seats.size()) return PlaceGroup(index + 1);
  Seat* seat = kind.seats[placed];
  std::vector<size_t> tried;
  for (size_t at = from; at < slots_.size(); ++at) {
    if (--effort_->looks < 0) {
      effort_->exhausted = true;
      return false;
    }
    const Slot slot = slots_[at];
    if (seat->IsRefused(slot) || !space_->Fits(kind.shape, slot)) continue;
    if (IsLikeOneBefore(at, &tried)) continue;
    space_->Take(kind.shape, slot, 1);
    seat->slot = slot;
    // The order in which pods come decides who may be beside whom: then every order is tried.
    if (PlaceNext(index, placed + 1, seats_->has_pairs ? 0 : at)) return true;
    space_->Give(kind.shape, slot, 1);
    seat->slot = kNoSlot;
    if (effort_->exhausted) return false;
  }
  return LeaveRest(index, placed);
}

bool DeepSearch::LeaveRest(size_t index, size_t placed) {
  const SeatGroup& kind = groups_[index];
  const auto rest = static_cast<int64_t>(kind.seats.size() - placed);
  if (rest > MayLeave(kind)) return false;
  spare_ -= rest;
  if (kind.role >= 0) role_spare_[static_cast<size_t>(kind.role)] -= rest;
  if (PlaceGroup(index + 1)) return true;
  spare_ += rest;
  if (kind.role >= 0) role_spare_[static_cast<size_t>(kind.role)] += rest;
  return false;
}

// Nodes of which the same is free and which take the same shapes can be exchanged, unless a member
// was refused by one of them.
bool DeepSearch::IsLikeOneBefore(size_t at, std::vector<size_t>* tried) const {
  if (seats_->has_refusals || seats_->has_pairs) return false;
  const size_t bytes = space_->columns().size() * sizeof(int64_t);
  for (const size_t other : *tried) {
    if (std::memcmp(space_->Row(slots_[other]), space_->Row(slots_[at]), bytes) != 0) continue;
    const auto takes_same = [&](ShapeIndex shape) {
      return space_->MayTake(shape, slots_[other]) == space_->MayTake(shape, slots_[at]);
    };
    if (std::all_of(seats_->shapes.begin(), seats_->shapes.end(), takes_same)) return true;
  }
  tried->push_back(at);
  return false;
}

}  // namespace

Attempt::Attempt(NodeSpace* space, Ground* ground, Seats* seats)
    : space_(space), ground_(ground), seats_(seats) {
  CountOpen();
}

// Not before it is known that nodes are looked for: a front costs a look at every node, and gangs
// that keep their places need none.
void Attempt::OpenFronts() {
  if (!fronts_.empty()) return;
  for (const ShapeIndex shape : seats_->shapes) {
    Ground::Front& front = ground_->FrontOf(shape);
    fronts_.emplace_back(&front, front.next);
  }
}

bool Attempt::Greedy(bool keep_reservations, const std::vector<uint32_t>& order) {
  if (!order.empty()) OpenFronts();
  if (!PlaceWaiters()) return false;
  // Again as long as one more finds its place: spread lets some in only once others are there.
  for (bool placed = keep_reservations; placed;) {
    placed = false;
    for (Seat& seat : seats_->seats) {
      if (Enough()) return true;
      if (seat.slot == kNoSlot) placed |= PlaceAtReservation(&seat);
    }
    placed &= seats_->has_pairs;
  }
  for (const uint32_t index : order) {
    if (Enough()) return true;
    Seat& seat = seats_->seats[index];
    if (seat.slot == kNoSlot) Place(&seat);
  }
  return Enough();
}

bool Attempt::Deep(Effort* effort) {
  if (!PlaceWaiters()) return false;
  return DeepSearch(space_, ground_->slots(), seats_, effort).Run();
}

void Attempt::KeepReservations() {
  for (Seat& seat : seats_->seats) {
    if (seat.slot == kNoSlot) PlaceAtReservation(&seat);
  }
}

void Attempt::Fill() {
  OpenFronts();
  KeepReservations();  // nobody takes the reservation of another
  for (const uint32_t index : seats_->order) {
    Seat& seat = seats_->seats[index];
    if (seat.slot == kNoSlot) Place(&seat);
  }
}

void Attempt::Undo() {
  for (Seat& seat : seats_->seats) {
    if (seat.slot != kNoSlot) space_->Give(seat.shape, seat.slot, 1);
    seat.slot = kNoSlot;
  }
  for (const auto& [front, next] : fronts_) front->next = next;
  CountOpen();
}

void Attempt::CountOpen() {
  open_ = seats_->need;
  role_open_ = seats_->role_need;
  for (const Seat& seat : seats_->seats) {
    if (seat.slot == kNoSlot) continue;
    --open_;
    if (seat.role >= 0) --role_open_[static_cast<size_t>(seat.role)];
  }
}

bool Attempt::Enough() const {
  return open_ <= 0 &&
         std::all_of(role_open_.begin(), role_open_.end(), [](int64_t open) { return open <= 0; });
}

bool Attempt::PlaceWaiters() {
  for (Seat& seat : seats_->seats) {
    if (seat.slot != kNoSlot || seat.waits_on == kNoSlot) continue;
    // Beside whom it may be kube-scheduler has judged, with those there that it had placed by then.
    if (!ground_->Has(seat.waits_on) || !space_->HasRoom(seat.shape, seat.waits_on)) return false;
    Put(&seat, seat.waits_on);
  }
  return true;
}

bool Attempt::PlaceAtReservation(Seat* seat) {
  if (seat->reserved == kNoSlot || !ground_->Has(seat->reserved)) return false;
  if (seat->IsRefused(seat->reserved)) return false;
  if (!space_->Fits(seat->shape, seat->reserved)) return false;
  Put(seat, seat->reserved);
  return true;
}

bool Attempt::Place(Seat* seat) {
  Ground::Front& front = ground_->FrontOf(seat->shape);
  // Only what is full stays so: who may be beside whom changes as members are placed.
  while (front.next < front.slots.size() &&
         !space_->HasRoom(seat->shape, front.slots[front.next])) {
    ++front.next;
  }
  for (size_t i = front.next; i < front.slots.size(); ++i) {
    const Slot slot = front.slots[i];
    if (seat->IsRefused(slot) || !space_->Fits(seat->shape, slot)) continue;
    Put(seat, slot);
    return true;
  }
  return false;
}

void Attempt::Put(Seat* seat, Slot slot) {
  space_->Take(seat->shape, slot, 1);
  seat->slot = slot;
  --open_;
  if (seat->role >= 0) --role_open_[static_cast<size_t>(seat->role)];
}

}  // namespace outrigger::plan
