#include "plan/search/attempt.h"

#include <algorithm>

#include "plan/search/deep_search.h"

namespace outrigger::plan {

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
  const auto& refused = seat->refused;
  if (std::find(refused.begin(), refused.end(), seat->reserved) != refused.end()) return false;
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
    if (!space_->Fits(seat->shape, slot)) continue;
    const auto& refused = seat->refused;
    if (std::find(refused.begin(), refused.end(), slot) != refused.end()) continue;
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
