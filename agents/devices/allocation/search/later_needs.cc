#include "devices/allocation/search/later_needs.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace outrigger::devices {
namespace {

// A device that serves several claims; sums of these must not overflow.
constexpr int64_t kAsManyAsWanted = int64_t{1} << 40;

int64_t LeastOf(const Slot& slot, int64_t spared) {
  int64_t least = kMostWanted;
  for (const Alternative& one : slot.alternatives) {
    if (one.admin) return 0;
    least = std::min(least, one.least);
  }
  return std::max<int64_t>(least - spared, 0);
}

bool IsWanted(const Slot& slot, SetId set) {
  return std::any_of(slot.alternatives.begin(), slot.alternatives.end(),
                     [set](const Alternative& one) { return one.matches->Has(set); });
}

}  // namespace

LaterNeeds::LaterNeeds(const DemandData& demand, const Ground& ground,
                       const std::vector<int64_t>& spared)
    : slots_(static_cast<int>(std::min<size_t>(demand.slots.size(), kMostSlots))) {
  const uint32_t sets = 1U << static_cast<unsigned>(slots_);
  for (int i = 0; i < slots_; ++i) {
    const auto slot = static_cast<size_t>(i);
    const int64_t least = LeastOf(demand.slots[slot], spared.empty() ? 0 : spared[slot]);
    for (uint32_t set = 1; set < sets; ++set) {
      if ((set >> static_cast<unsigned>(i) & 1U) != 0) need_[set] += least;
    }
  }
  wanted_by_.reserve(ground.places().size());
  for (const Ground::Place& place : ground.places()) {
    uint8_t bits = 0;
    for (int i = 0; i < slots_; ++i) {
      if (IsWanted(demand.slots[static_cast<size_t>(i)], place.run->set)) {
        bits = static_cast<uint8_t>(bits | 1U << static_cast<unsigned>(i));
      }
    }
    wanted_by_.push_back(bits);
    const int64_t free = place.run->shared ? kAsManyAsWanted : place.free;
    for (uint32_t set = 1; set < sets; ++set) {
      if ((set & bits) != 0) available_[set] += free;
    }
  }
}

uint32_t LaterNeeds::ShortSet() const {
  uint32_t best = 0;
  for (uint32_t set = 1; set < 1U << static_cast<unsigned>(slots_); ++set) {
    if (need_[set] <= available_[set]) continue;
    if (best == 0 || std::popcount(set) < std::popcount(best)) best = set;
  }
  return best;
}

int64_t LaterNeeds::Spare(size_t place, size_t slot) const {
  int64_t spare = std::numeric_limits<int64_t>::max();
  if (slot >= kMostSlots) return spare;
  const uint32_t step = 2U << slot;  // sets of requests after it are the multiples of this
  for (uint32_t set = step; set < 1U << static_cast<unsigned>(slots_); set += step) {
    const int64_t slack = available_[set] - need_[set];
    if (slack < 0) return slack;
    if ((set & wanted_by_[place]) != 0) spare = std::min(spare, slack);
  }
  return spare;
}

void LaterNeeds::Use(size_t place, int64_t count) {
  const uint32_t bits = wanted_by_[place];
  if (bits == 0) return;
  for (uint32_t set = 1; set < 1U << static_cast<unsigned>(slots_); ++set) {
    if ((set & bits) != 0) available_[set] -= count;
  }
}

}  // namespace outrigger::devices
