#include "devices/allocation/allocator.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/demand/match_cache.h"
#include "devices/allocation/demand/match_caches.h"
#include "devices/allocation/demand/resolver.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/reasons/reasons.h"
#include "devices/allocation/scores/scores.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/search.h"

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
    out->push_back({.pool = pool.name,
                    .device = "",
                    .count = pick.count,
                    .amounts = {},
                    .admin_access = AlternativeOf(pick).admin});
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
                    .amounts = AmountsOf(pick),
                    .admin_access = AlternativeOf(pick).admin});
  }
}

// Gives each pick of a solution names of devices: for each claim of `demand` what it gets.
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

}  // namespace

struct PendingData {
  std::string namespace_;
  std::shared_ptr<MatchCache> cache;
  Unknown unknown;
};

Pending::Pending(std::unique_ptr<const PendingData> data) : data_(std::move(data)) {}
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;
Pending::~Pending() = default;

namespace {

std::string NamespaceOf(std::span<const Claim* const> claims) {
  return claims.empty() ? "" : claims.front()->namespace_;
}

}  // namespace

const std::vector<InvalidClaim>& Demand::invalid() const {
  return data_->invalid;
}

Allocator::Allocator(const Selectors& selectors, AllocatorOptions options)
    : options_(std::move(options)),
      caches_(std::make_unique<MatchCaches>(selectors, options_.now)) {}
Allocator::~Allocator() = default;

Demand Allocator::Resolve(const Inventory& inventory, std::span<const Claim* const> claims) const {
  Effort effort{.left = std::numeric_limits<int64_t>::max()};
  for (;;) {
    auto resolved = TryResolve(inventory, claims);
    if (const auto* demand = std::get_if<Demand>(&resolved)) return *demand;
    const PendingData& pending = std::get<Pending>(resolved).data();
    (void)pending.cache->FindOut(pending.unknown, &effort);
  }
}

std::variant<Demand, Pending> Allocator::TryResolve(const Inventory& inventory,
                                                    std::span<const Claim* const> claims) const {
  auto pending = std::make_unique<PendingData>();
  pending->namespace_ = NamespaceOf(claims);
  pending->cache = caches_->Of(pending->namespace_, inventory.state().epoch());
  Resolver resolver(inventory, options_, pending->cache.get(), Resolver::Depth::kMatches);
  Demand demand(resolver.Resolve(claims, &pending->unknown));
  if (pending->unknown.empty()) return demand;
  return Pending(std::move(pending));
}

std::variant<std::vector<InvalidClaim>, Pending> Allocator::TryCheck(
    const Inventory& inventory, std::span<const Claim* const> claims) const {
  auto pending = std::make_unique<PendingData>();
  pending->namespace_ = NamespaceOf(claims);
  pending->cache = caches_->Of(pending->namespace_, inventory.state().epoch());
  Resolver resolver(inventory, options_, pending->cache.get(), Resolver::Depth::kSyntax);
  const Demand demand(resolver.Resolve(claims, &pending->unknown));
  if (pending->unknown.empty()) return demand.invalid();
  return Pending(std::move(pending));
}

absl::Status Allocator::FindOut(const Pending& pending, const std::stop_token& stop) const {
  const PendingData& data = pending.data();
  return caches_->FindOut(data.namespace_, *data.cache, data.unknown, stop);
}

Answer Allocator::Allocate(const Inventory& inventory, const Demand& demand, std::string_view node,
                           Parts parts, std::optional<int64_t> budget) const {
  const int64_t most = budget.value_or(options_.budget);
  const DemandData& data = demand.data();
  Answer answer;
  if (!data.invalid.empty()) {
    const InvalidClaim& first = data.invalid.front();
    answer.verdict = Verdict::Unresolvable("invalid claim", "claim {}: {}",
                                           data.claims[first.claim], first.fault);
    return answer;
  }
  const InventoryState& state = inventory.state();
  if (data.epoch != state.epoch() || data.sets != state.sets().size()) {
    answer.verdict = Verdict::Unresolvable("stale claims", "pools changed in the meantime");
    return answer;
  }
  const auto of_node = state.StocksOf(node);
  const auto of_network =
      options_.network_pools ? state.StocksOf("") : std::span<const Stock* const>();
  const Ground ground(of_node, of_network, Contents::kFree);
  Search search(data, ground);
  const Outcome outcome = search.Find(most);
  answer.steps = search.steps();
  if (outcome == Outcome::kFits) {
    if (parts == Parts::kVerdict) return answer;
    const std::vector<Pick> picks = search.Picks();
    answer.scores = Score(data, ground, picks, options_.weights);
    if (parts == Parts::kAll) answer.claims = NamePicks(data, ground, picks);
  } else if (outcome == Outcome::kBudgetSpent) {
    // A later call begins with this node.
    answer.verdict =
        most < options_.budget
            ? Verdict::Rejected("search budget",
                                "not searched completely: other nodes used up the steps")
            : Verdict::Unresolvable("search budget", "search budget of {} steps spent", most);
  } else {
    answer.verdict = Explain(state, data, ground, most, &answer.steps);
  }
  return answer;
}

}  // namespace outrigger::devices
