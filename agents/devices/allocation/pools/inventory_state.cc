#include "devices/allocation/pools/inventory_state.h"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

namespace outrigger::devices {
namespace {

// Sets out of use that are kept before all are made again.
constexpr size_t kSparedSets = 1024;

uint64_t NextEpoch() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool Before(const Stock* a, const Stock* b) {
  return std::tie(a->pool().driver, a->pool().name) < std::tie(b->pool().driver, b->pool().name);
}

}  // namespace

InventoryState::InventoryState() : sets_(std::make_unique<AttributeSets>()), epoch_(NextEpoch()) {}

void InventoryState::SetPool(Pool pool) {
  RemovePool(pool.name);
  std::string name = pool.name;
  auto stock = std::make_unique<Stock>(std::move(pool), sets_.get());
  stock->Use(HoldingsOf(name));
  runs_ += stock->runs().size();
  Place(stock.get());
  stocks_.insert_or_assign(std::move(name), std::move(stock));
  if (sets_->size() > 2 * runs_ + kSparedSets) ForgetSets();
}

void InventoryState::RemovePool(std::string_view name) {
  const auto at = stocks_.find(name);
  if (at == stocks_.end()) return;
  runs_ -= at->second->runs().size();
  Displace(at->second.get());
  stocks_.erase(at);
}

void InventoryState::Place(const Stock* stock) {
  std::vector<const Stock*>& stocks = nodes_[stock->pool().node];
  stocks.insert(std::upper_bound(stocks.begin(), stocks.end(), stock, Before), stock);
}

void InventoryState::Displace(const Stock* stock) {
  const auto node = nodes_.find(stock->pool().node);
  std::erase(node->second, stock);
  if (node->second.empty()) nodes_.erase(node);
}

void InventoryState::ForgetSets() {
  sets_ = std::make_unique<AttributeSets>();
  epoch_ = NextEpoch();
  for (auto& [name, stock] : stocks_) stock->Reset(sets_.get());
}

void InventoryState::SetHolding(std::string_view claim, std::vector<Allocation> holding) {
  std::vector<std::string> changed;
  if (const auto held = held_in_.find(claim); held != held_in_.end()) {
    changed = std::move(held->second);
    held_in_.erase(held);
  }
  for (const std::string& pool : changed) {
    const auto at = holdings_.find(pool);
    at->second.erase(std::string(claim));
    if (at->second.empty()) holdings_.erase(at);
  }
  std::vector<std::string> pools;
  for (Allocation& one : holding) {
    if (one.count <= 0) continue;  // edited by hand
    pools.push_back(one.pool);
    std::vector<Allocation>& held = holdings_[one.pool][std::string(claim)];
    held.push_back(std::move(one));
  }
  std::sort(pools.begin(), pools.end());
  pools.erase(std::unique(pools.begin(), pools.end()), pools.end());
  changed.insert(changed.end(), pools.begin(), pools.end());
  if (!pools.empty()) held_in_.insert_or_assign(std::string(claim), std::move(pools));
  for (const std::string& pool : changed) {
    if (const auto at = stocks_.find(pool); at != stocks_.end()) at->second->Use(HoldingsOf(pool));
  }
}

std::span<const Stock* const> InventoryState::StocksOf(std::string_view node) const {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return {};
  return at->second;
}

const Stock* InventoryState::FindStock(std::string_view name) const {
  const auto at = stocks_.find(name);
  return at == stocks_.end() ? nullptr : at->second.get();
}

const Holdings& InventoryState::HoldingsOf(std::string_view pool) const {
  static const Holdings none;
  const auto at = holdings_.find(pool);
  return at == holdings_.end() ? none : at->second;
}

}  // namespace outrigger::devices
