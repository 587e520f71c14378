#include "gang/plan/search/ground.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace outrigger::plan {

Ground::Ground(const NodeSpace* space)
    : space_(space), slots_(&space->in_order()), whole_(true), keep_order_(false) {}

Ground::Ground(const NodeSpace* space, const std::vector<Slot>* slots, bool keep_order)
    : space_(space),
      slots_(slots),
      whole_(false),
      keep_order_(keep_order),
      members_(slots->begin(), slots->end()) {}

Ground::Front& Ground::FrontOf(ShapeIndex shape) {
  auto [at, is_new] = fronts_.try_emplace(shape);
  if (!is_new) return at->second;
  std::vector<std::pair<int64_t, Slot>> rooms;
  rooms.reserve(slots_->size());
  for (const Slot slot : *slots_) {
    if (const int64_t room = space_->Room(shape, slot); room > 0) rooms.emplace_back(room, slot);
  }
  // Of equal rooms the order of the names stays: slots are numbered as nodes became known.
  const auto fuller = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!keep_order_) std::stable_sort(rooms.begin(), rooms.end(), fuller);
  at->second.slots.reserve(rooms.size());
  for (const auto& [room, slot] : rooms) at->second.slots.push_back(slot);
  return at->second;
}

}  // namespace outrigger::plan
