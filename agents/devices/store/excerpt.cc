#include "store/excerpt.h"

#include <algorithm>
#include <utility>

namespace outrigger::devices::agent {

Excerpt::Excerpt(const Contents& contents, const Names& nodes, bool network_pools) {
  const auto take = [&](std::string_view node) {
    for (const Pool* pool : contents.inventory().PoolsOf(node)) {
      if (auto object = contents.FindPool(pool->name); object != nullptr) {
        pools_.push_back(std::move(object));
      }
    }
  };
  for (const std::string& node : nodes) take(node);
  if (network_pools) take("");
  contents.classes().ForEach([&](const auto&, const auto& of) { classes_.push_back(of); });
  for (const auto& [name, driver] : contents.drivers()) drivers_.push_back(driver);
  contents.claims(/*privileged=*/false).ForEach([&](const auto&, const auto& claim) {
    if (!claim->pods.empty() && nodes.contains(claim->node)) claims_[claim->node].push_back(claim);
  });
  TakeHoldings(contents);
}

void Excerpt::TakeHoldings(const Contents& contents) {
  Names names;
  for (const auto& pool : pools_) names.insert(pool->pool.name);
  contents.ForEachHolding([&](const std::string& claim, std::span<const Allocation> held) {
    const bool is_here = std::any_of(
        held.begin(), held.end(), [&](const Allocation& one) { return names.contains(one.pool); });
    if (is_here) holdings_[claim].assign(held.begin(), held.end());
  });
}

Inventory Excerpt::WithoutHoldings(std::span<const std::string> claims) const {
  Inventory inventory;
  for (const auto& of : classes_) inventory.SetClass(of->of);
  for (const Driver& driver : drivers_) inventory.SetDriver(driver);
  for (const auto& [claim, held] : holdings_) {
    const bool is_out = std::find(claims.begin(), claims.end(), claim) != claims.end();
    if (!is_out) inventory.SetHolding(claim, held);
  }
  for (const auto& pool : pools_) inventory.SetPool(pool->pool);
  return inventory;
}

std::vector<Allocation> Excerpt::HeldBy(std::string_view claim) const {
  const auto at = holdings_.find(claim);
  return at == holdings_.end() ? std::vector<Allocation>() : at->second;
}

const std::vector<std::shared_ptr<const ClaimObject>>& Excerpt::ClaimsOn(
    std::string_view node) const {
  static const std::vector<std::shared_ptr<const ClaimObject>> none;
  const auto at = claims_.find(node);
  return at == claims_.end() ? none : at->second;
}

}  // namespace outrigger::devices::agent
