#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/allocation/claim.h"
#include "devices/allocation/inventory.h"
#include "devices/objects/objects.h"

namespace outrigger::devices::agent {

/// What two sources say that a claim holds, as one: never less than either of them.
std::vector<Allocation> UnionOf(std::span<const Allocation> a, std::span<const Allocation> b);

/// Keeps in an Inventory what claims hold: what their statuses say together with the entries of
/// pools, Intents included. A claim is known by its UID, so that entries of one that is gone count
/// next to those of another one with its name. Not thread-safe.
class Ledger {
 public:
  /// `inventory` outlives this.
  explicit Ledger(Inventory* inventory) : inventory_(*inventory) {}

  /// The claim `name` ("namespace/name") of that UID is there, and its status says that it holds
  /// this (nothing: what pools say counts alone).
  void SetClaim(std::string_view name, std::string_view uid, std::vector<Allocation> of_status);
  /// It is gone; what pools say stays.
  void RemoveClaim(std::string_view name);
  /// The entries of a pool; none: it is gone. Costs as much as the pool is large.
  void SetEntries(std::string_view pool, std::span<const PoolEntry> entries);
  /// What is being written for the claim of that UID, and was not seen yet; nothing: it is not any
  /// more.
  void Assume(std::string_view name, std::string_view uid, std::vector<Allocation> holding);
  /// What the inventory has for the claim of that name that is there.
  std::vector<Allocation> HeldBy(std::string_view name) const;
  /// What it has for the claim of that UID, there or gone.
  std::vector<Allocation> HeldBy(std::string_view name, std::string_view uid) const;
  /// All that the inventory has, by the name under which it has it.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [id, holder] : holders_) {
      if (!holder.label.empty()) visit(holder.label, std::span<const Allocation>(holder.written));
    }
  }

 private:
  using Id = std::pair<std::string, std::string>;  // name and UID of a claim
  struct Holder {
    std::vector<Allocation> of_status;
    std::vector<Allocation> assumed;
    std::map<std::string, std::vector<Allocation>, std::less<>> of_pools;  // by pool
    std::string label;                // under which the inventory has it; empty: it has not
    std::vector<Allocation> written;  // what the inventory has
  };

  std::string LabelOf(const Id& id) const;
  void Update(const Id& id);

  Inventory& inventory_;
  std::map<Id, Holder> holders_;
  std::map<std::string, std::string, std::less<>> current_;      // name of a claim to its UID
  std::map<std::string, std::vector<Id>, std::less<>> entries_;  // by pool
};

}  // namespace outrigger::devices::agent
