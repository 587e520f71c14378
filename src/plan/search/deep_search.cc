#include "plan/search/deep_search.h"

#include <algorithm>
#include <cstring>

namespace outrigger::plan {

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
             kind.seats.front()->refused == seat.refused;
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
    if (!space_->Fits(kind.shape, slot)) continue;
    const auto& refused = seat->refused;
    if (std::find(refused.begin(), refused.end(), slot) != refused.end()) continue;
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

}  // namespace outrigger::plan
