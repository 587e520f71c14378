#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/allocation/device_class.h"
#include "devices/allocation/inventory.h"
#include "devices/objects/admin_access.h"
#include "devices/objects/objects.h"
#include "store/ledger.h"
#include "store/object_table.h"

namespace outrigger::devices::agent {

/// Where something has changed that decides whether claims can be served.
struct Touched {
  bool everywhere = false;
  std::set<std::string> nodes;
  std::set<std::string> claims;  ///< "namespace/name": new, gone, or asks for something else
};

/// All objects of the API, and the inventory that they make. Not thread-safe; const methods may be
/// called from several threads at once.
class Contents {
 public:
  Contents() : ledger_(&inventory_) {}
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  // Returns whether anything has changed. Costs as much as what changes is large, with its pool.
  bool Put(PoolObject pool, Source from);
  bool Put(ClaimObject claim, Source from);
  bool Put(ClassObject of, Source from);
  bool Put(Driver driver, Source from);               // never written by the agent
  bool Put(NamespaceObject name_space, Source from);  // neither is this
  bool RemovePool(std::string_view name, const Gone& gone);
  bool RemoveClaim(std::string_view namespace_, std::string_view name, bool privileged,
                   const Gone& gone);
  bool RemoveClass(std::string_view name, const Gone& gone);
  bool RemoveDriver(std::string_view name);
  bool RemoveNamespace(std::string_view name);
  // A list of the kind begins, and ends with what ObjectTable::EndList() removes. Drivers and
  // namespaces, of which there are no answers of writes, need none.
  void BeginPools() { pools_.BeginList(); }
  bool EndPools(std::string_view version);
  void BeginClaims(bool privileged) { claims_[privileged ? 1 : 0].BeginList(); }
  bool EndClaims(bool privileged, std::string_view version);
  void BeginClasses() { classes_.BeginList(); }
  bool EndClasses(std::string_view version);

  const Inventory& inventory() const { return inventory_; }
  /// Counts `holding` as the claim's as well, until it is called again: what is being written.
  /// Returns whether the claim holds something else now.
  bool Assume(const Claim& claim, std::vector<Allocation> holding);
  /// What claim `name` ("namespace/name") holds, by its status and by entries of pools.
  std::vector<Allocation> HeldBy(std::string_view name) const { return ledger_.HeldBy(name); }
  /// As Ledger::ForEach().
  template <typename Visit>
  void ForEachHolding(Visit visit) const {
    ledger_.ForEach(visit);
  }
  std::shared_ptr<const PoolObject> FindPool(std::string_view name) const {
    return pools_.Find(name);
  }
  std::shared_ptr<const ClaimObject> FindClaim(std::string_view namespace_, std::string_view name,
                                               bool privileged) const;
  std::shared_ptr<const ClassObject> FindClass(std::string_view name) const {
    return classes_.Find(name);
  }
  const ObjectTable<PoolObject>& pools() const { return pools_; }
  const ObjectTable<ClaimObject>& claims(bool privileged) const {
    return claims_[privileged ? 1 : 0];
  }
  const ObjectTable<ClassObject>& classes() const { return classes_; }
  const std::map<std::string, Driver, std::less<>>& drivers() const { return drivers_; }

  /// Why a claim that asks for admin access does not get it; empty: it does, or asks for none.
  std::string AdminAccessFault(const ClaimObject& claim) const;

  bool HasPoolsOf(std::string_view driver) const { return pools_of_.contains(driver); }

  /// Counts changes of classes, drivers, namespaces that allow admin access, and of which drivers
  /// there are pools.
  uint64_t class_epoch() const { return class_epoch_; }
  /// What has changed since the last call.
  Touched TakeTouched() { return std::exchange(touched_, {}); }

  /// The inventory as if these claims held nothing, as long as this lives.
  class Without {
   public:
    /// `contents` outlives this, and is not changed meanwhile.
    Without(Contents* contents, std::vector<std::string> claims);
    ~Without();
    Without(const Without&) = delete;
    Without& operator=(const Without&) = delete;

   private:
    Contents& contents_;
    const std::vector<std::string> claims_;
  };

 private:
  void OnTerms() {
    touched_.everywhere = true;
    ++class_epoch_;
  }
  /// Of `driver` there are so many pools more.
  void CountPools(const std::string& driver, int more);
  void Touch(const Pool& pool);
  void Touch(const ClaimObject& claim);
  void Forget(const PoolObject& pool);
  void Forget(const ClaimObject& claim);
  void Forget(const ClassObject& of);

  Inventory inventory_;
  Ledger ledger_;
  ObjectTable<PoolObject> pools_;
  ObjectTable<ClaimObject> claims_[2];  // by "namespace/name"; the second: privileged ones
  ObjectTable<ClassObject> classes_;
  std::map<std::string, Driver, std::less<>> drivers_;
  std::set<std::string, std::less<>> admin_namespaces_;  // those that allow admin access
  std::map<std::string, int, std::less<>> pools_of_;     // how many, by driver
  Touched touched_;
  uint64_t class_epoch_ = 1;
};

}  // namespace outrigger::devices::agent
