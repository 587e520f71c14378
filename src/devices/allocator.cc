#include "outrigger/devices/allocator.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "devices/demand/demand.h"
#include "devices/demand/match_cache.h"
#include "devices/demand/resolver.h"
#include "devices/pools/inventory_state.h"
#include "devices/reasons/reasons.h"
#include "devices/scores/scores.h"
#include "devices/search/ground.h"
#include "devices/search/pick_names.h"
#include "devices/search/search.h"
#include "outrigger/base/mutex.h"

namespace outrigger::devices {

class Allocator::Cache {
 public:
  explicit Cache(const Selectors& selectors) : matches_(selectors) {}

  Demand Resolve(const Inventory& inventory, std::span<const Claim* const> claims,
                 const AllocatorOptions& options) {
    const MutexLock lock(mutex_);
    return Demand(Resolver(inventory, options, &matches_).Resolve(claims));
  }

 private:
  Mutex mutex_;
  MatchCache matches_ ABSL_GUARDED_BY(mutex_);
};

const std::vector<InvalidClaim>& Demand::invalid() const {
  return data_->invalid;
}

Allocator::Allocator(const Selectors& selectors, AllocatorOptions options)
    : options_(std::move(options)), cache_(std::make_unique<Cache>(selectors)) {}
Allocator::~Allocator() = default;

Demand Allocator::Resolve(const Inventory& inventory, std::span<const Claim* const> claims) const {
  return cache_->Resolve(inventory, claims, options_);
}

Answer Allocator::Allocate(const Inventory& inventory, const Demand& demand, std::string_view node,
                           Parts parts) const {
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
    answer.verdict = Verdict::Unresolvable("stale claims", "pools have changed in the meantime");
    return answer;
  }
  const auto of_node = state.StocksOf(node);
  const auto of_network =
      options_.network_pools ? state.StocksOf("") : std::span<const Stock* const>();
  const Ground ground(of_node, of_network, Contents::kFree);
  Search search(data, ground);
  const Outcome outcome = search.Find(options_.budget);
  answer.steps = search.steps();
  if (outcome == Outcome::kFits) {
    if (parts == Parts::kVerdict) return answer;
    const std::vector<Pick> picks = search.Picks();
    answer.scores = Score(data, ground, picks, options_.weights);
    if (parts == Parts::kAll) answer.claims = NamePicks(data, ground, picks);
  } else if (outcome == Outcome::kBudgetSpent) {
    answer.verdict =
        Verdict::Unresolvable("search budget", "search budget of {} steps spent", options_.budget);
  } else {
    answer.verdict = Explain(state, data, ground, options_.budget);
  }
  return answer;
}

}  // namespace outrigger::devices
