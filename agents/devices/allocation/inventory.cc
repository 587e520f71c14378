#include "devices/allocation/inventory.h"

#include <utility>

#include "devices/allocation/pools/inventory_state.h"

namespace outrigger::devices {

Inventory::Inventory() : state_(std::make_unique<InventoryState>()) {}
Inventory::~Inventory() = default;
Inventory::Inventory(Inventory&&) noexcept = default;
Inventory& Inventory::operator=(Inventory&&) noexcept = default;

void Inventory::SetPool(Pool pool) {
  state_->SetPool(std::move(pool));
}
void Inventory::RemovePool(std::string_view name) {
  state_->RemovePool(name);
}

void Inventory::SetClass(Class of) {
  std::string name = of.name;
  state_->classes.insert_or_assign(std::move(name), std::move(of));
}

void Inventory::RemoveClass(std::string_view name) {
  if (const auto at = state_->classes.find(name); at != state_->classes.end()) {
    state_->classes.erase(at);
  }
}

void Inventory::SetDriver(Driver driver) {
  std::string name = driver.name;
  state_->drivers.insert_or_assign(std::move(name), std::move(driver));
}

void Inventory::RemoveDriver(std::string_view name) {
  if (const auto at = state_->drivers.find(name); at != state_->drivers.end()) {
    state_->drivers.erase(at);
  }
}

void Inventory::SetHolding(std::string_view claim, std::vector<Allocation> holding) {
  state_->SetHolding(claim, std::move(holding));
}

std::vector<std::string> Inventory::Nodes() const {
  std::vector<std::string> names;
  for (const auto& [name, stocks] : state_->nodes()) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::vector<const Pool*> Inventory::PoolsOf(std::string_view node) const {
  std::vector<const Pool*> pools;
  for (const Stock* stock : state_->StocksOf(node)) pools.push_back(&stock->pool());
  return pools;
}

const Pool* Inventory::FindPool(std::string_view name) const {
  const Stock* stock = state_->FindStock(name);
  return stock == nullptr ? nullptr : &stock->pool();
}

const Class* Inventory::FindClass(std::string_view name) const {
  const auto at = state_->classes.find(name);
  return at == state_->classes.end() ? nullptr : &at->second;
}

std::string_view Inventory::FaultOf(std::string_view pool) const {
  const Stock* stock = state_->FindStock(pool);
  return stock == nullptr ? std::string_view() : stock->fault();
}

PoolUse Inventory::UseOf(std::string_view pool) const {
  PoolUse use;
  if (const Stock* stock = state_->FindStock(pool); stock != nullptr) {
    use.total = stock->total();
    use.used = stock->used();
  }
  for (const auto& [claim, held] : state_->HoldingsOf(pool)) use.claims.push_back(claim);
  return use;
}

}  // namespace outrigger::devices
