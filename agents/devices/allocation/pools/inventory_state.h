#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/allocation/device_class.h"
#include "devices/allocation/inventory.h"
#include "devices/allocation/model/attribute_sets.h"
#include "devices/allocation/pools/stock.h"

namespace outrigger::devices {

/// What an Inventory is made of, for the search. Thread-compatible.
class InventoryState {
 public:
  InventoryState();
  void SetPool(Pool pool);
  void RemovePool(std::string_view name);
  void SetHolding(std::string_view claim, std::vector<Allocation> holding);

  /// Of a node, by driver and name. Lives until the next change.
  std::span<const Stock* const> StocksOf(std::string_view node) const;
  const Stock* FindStock(std::string_view name) const;
  /// What claims hold of a pool.
  const Holdings& HoldingsOf(std::string_view pool) const;
  const AttributeSets& sets() const { return *sets_; }
  /// Differs between any two inventories and after each time that all sets were made again: a SetId
  /// means the same as long as this is the same.
  uint64_t epoch() const { return epoch_; }
  const std::map<std::string, std::vector<const Stock*>, std::less<>>& nodes() const {
    return nodes_;
  }

  std::map<std::string, Class, std::less<>> classes;
  std::map<std::string, Driver, std::less<>> drivers;

 private:
  void Place(const Stock* stock);
  void Displace(const Stock* stock);
  void ForgetSets();

  std::map<std::string, std::unique_ptr<Stock>, std::less<>> stocks_;
  std::map<std::string, std::vector<const Stock*>, std::less<>> nodes_;
  std::map<std::string, Holdings, std::less<>> holdings_;                 // by pool
  std::map<std::string, std::vector<std::string>, std::less<>> held_in_;  // claim to pools
  std::unique_ptr<AttributeSets> sets_;
  size_t runs_ = 0;  // of all pools: no fewer than sets in use
  uint64_t epoch_ = 0;
};

}  // namespace outrigger::devices
