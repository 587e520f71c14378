#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/allocation/claim.h"
#include "devices/allocation/device_class.h"
#include "devices/allocation/pool.h"

namespace outrigger::devices {

class InventoryState;

/// How much of a pool is in use. Devices that serve several claims count as used once one does.
struct PoolUse {
  int64_t total = 0;
  int64_t used = 0;
  std::vector<std::string> claims;  ///< "namespace/name" of those that hold some, in order
};

/// All pools, classes and drivers of a cluster, and which claims hold what, indexed by node.
///
/// A change costs as much as the pool that it changes is large. What is set is copied. Invalid
/// pools and classes are kept, offer nothing and appear in reasons. What claims hold of pools or
/// devices that are not there is remembered and counts once they are.
///
/// Thread-compatible: const calls may run in parallel, also those of an Allocator.
class Inventory {
 public:
  Inventory();
  ~Inventory();
  Inventory(Inventory&&) noexcept;
  Inventory& operator=(Inventory&&) noexcept;

  /// Adds a pool, or replaces the one of the same name.
  void SetPool(Pool pool);
  void RemovePool(std::string_view name);
  void SetClass(Class of);
  void RemoveClass(std::string_view name);
  void SetDriver(Driver driver);
  void RemoveDriver(std::string_view name);

  /// Sets what a claim ("namespace/name") holds; nothing: it holds nothing. A claim with admin
  /// access holds nothing that others could not have, and is not to be set.
  void SetHolding(std::string_view claim, std::vector<Allocation> holding);

  /// Names of nodes with pools, in ascending order.
  std::vector<std::string> Nodes() const;
  /// Pools by driver and name of a node (empty: those attached to the network). Pointers live until
  /// the next change.
  std::vector<const Pool*> PoolsOf(std::string_view node) const;
  /// Null if there is none. Lives until the next change.
  const Pool* FindPool(std::string_view name) const;
  const Class* FindClass(std::string_view name) const;
  /// Why a pool offers nothing; empty: it is valid, or not there.
  std::string_view FaultOf(std::string_view pool) const;
  /// Zero for a pool that is not there.
  PoolUse UseOf(std::string_view pool) const;

  /// For this module alone.
  const InventoryState& state() const { return *state_; }

 private:
  std::unique_ptr<InventoryState> state_;
};

}  // namespace outrigger::devices
