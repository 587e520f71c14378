#include "devices/search/pick_names.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace outrigger::devices {
namespace {

/// Hands out the devices of each place. For one solution.
class DeviceNames {
 public:
  DeviceNames(const DemandData& demand, const Ground& ground)
      : demand_(demand), ground_(ground), given_(ground.places().size()) {}

  void Add(const Pick& pick, std::vector<Allocation>* out);

 private:
  const Alternative& AlternativeOf(const Pick& pick) const {
    return demand_.slots[pick.slot].alternatives[static_cast<size_t>(pick.alternative)];
  }
  Amounts AmountsOf(const Pick& pick) const;
  bool IsFree(const Pick& pick, int32_t device) const;

  const DemandData& demand_;
  const Ground& ground_;
  std::vector<std::set<int32_t>> given_;                              // by place
  std::set<std::pair<int32_t, std::pair<int32_t, int32_t>>> admins_;  // claim, pool, device
};

Amounts DeviceNames::AmountsOf(const Pick& pick) const {
  Amounts amounts;
  const std::vector<Wish>& wishes = AlternativeOf(pick).wishes;
  for (size_t i = 0; i < pick.given.size(); ++i) {
    amounts[wishes[i].resource] = ToQuantity(pick.given[i], wishes[i].format);
  }
  return amounts;
}

bool DeviceNames::IsFree(const Pick& pick, int32_t device) const {
  const Ground::Place& place = ground_.places()[pick.place];
  const int32_t claim = demand_.slots[pick.slot].claim;
  if (admins_.contains({claim, {place.pool, device}})) return false;
  if (AlternativeOf(pick).admin || place.run->shared) return true;
  const bool in_use =
      ground_.contents() == Contents::kFree && ground_.StockOf(place).IsUsed(device);
  return !in_use && !given_[pick.place].contains(device);
}

void DeviceNames::Add(const Pick& pick, std::vector<Allocation>* out) {
  const Ground::Place& place = ground_.places()[pick.place];
  const Pool& pool = ground_.StockOf(place).pool();
  if (place.run->devices == 0) {
    out->push_back({.pool = pool.name, .device = "", .count = pick.count, .amounts = {}});
    return;
  }
  int64_t left = pick.count;
  for (int32_t i = 0; i < place.run->devices && left > 0; ++i) {
    const int32_t device = place.run->first + i;
    if (!IsFree(pick, device)) continue;
    --left;
    if (!AlternativeOf(pick).admin) given_[pick.place].insert(device);
    if (demand_.has_admin && !place.run->shared) {
      admins_.insert({demand_.slots[pick.slot].claim, {place.pool, device}});
    }
    out->push_back({.pool = pool.name,
                    .device = pool.devices[static_cast<size_t>(device)].name,
                    .count = 1,
                    .amounts = AmountsOf(pick)});
  }
}

}  // namespace

std::vector<ClaimAllocation> NamePicks(const DemandData& demand, const Ground& ground,
                                       const std::vector<Pick>& picks) {
  std::vector<ClaimAllocation> claims(demand.claims.size());
  for (const Slot& slot : demand.slots) {
    claims[static_cast<size_t>(slot.claim)].alternatives.push_back(0);
  }
  DeviceNames names(demand, ground);
  // Of a slot with admin access those are left that the others of its claim did not need.
  std::vector<std::vector<Allocation>> of_slot(demand.slots.size());
  for (const bool admin : {false, true}) {
    for (const Pick& pick : picks) {
      const Slot& slot = demand.slots[pick.slot];
      if (slot.alternatives[static_cast<size_t>(pick.alternative)].admin != admin) continue;
      names.Add(pick, &of_slot[pick.slot]);
    }
  }
  size_t request = 0;
  for (size_t i = 0; i < demand.slots.size(); ++i) {
    ClaimAllocation& claim = claims[static_cast<size_t>(demand.slots[i].claim)];
    request = i > 0 && demand.slots[i - 1].claim == demand.slots[i].claim ? request + 1 : 0;
    for (const Pick& pick : picks) {
      if (pick.slot == i) claim.alternatives[request] = pick.alternative;
    }
    const auto chosen = static_cast<size_t>(claim.alternatives[request]);
    if (!demand.slots[i].alternatives[chosen].admin) {
      claim.holding.insert(claim.holding.end(), of_slot[i].begin(), of_slot[i].end());
    }
    std::move(of_slot[i].begin(), of_slot[i].end(), std::back_inserter(claim.allocations));
  }
  return claims;
}

}  // namespace outrigger::devices
