#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/allocation/claim.h"
#include "devices/allocation/model/amount.h"
#include "devices/allocation/model/attribute_sets.h"
#include "devices/allocation/pool.h"

namespace outrigger::devices {

/// Neighbours in a pool that are equal for all that an allocation can ask: attributes and what they
/// take of the pool's counters. A pool of counts is one run, whatever its count is. A device with
/// own resources is a run of its own.
struct Run {
  int32_t first = 0;      ///< index of the first device
  int32_t devices = 0;    ///< how many; 0: a pool of counts
  SetId set = 0;          ///< of its driver and attributes
  int32_t previous = -1;  ///< the last run before it in the pool with equal devices; -1: none
  bool shared = false;    ///< has own resources
  int64_t total = 0;
  int64_t free = 0;  ///< total without those in use
};

/// What one device takes of a counter.
struct Take {
  int32_t counter = 0;
  Amount amount = 0;
  friend bool operator==(const Take&, const Take&) = default;
};

/// A shared counter of a pool, or an own resource of a device.
struct Store {
  std::string name;
  Amount capacity = 0;
  Amount block = 0;  ///< 0: any amount
  Amount left = 0;   ///< below zero if more is in use than there is
};

/// What claims ("namespace/name") hold of one pool.
using Holdings = std::map<std::string, std::vector<Allocation>, std::less<>>;
using ClaimNames = std::set<std::string, std::less<>>;

/// A pool as the search sees it. Copies share the pool, so that they are cheap. Thread-compatible.
class Stock {
 public:
  /// An invalid pool has no runs, and fault() is why.
  Stock(Pool pool, AttributeSets* sets);

  /// Counts what is in use, from the beginning, as if the claims of `without` held nothing.
  void Use(const Holdings& holdings, const ClaimNames& without = {});
  /// As if a counter, or an own resource of the device of a run, were larger. To be followed by
  /// Use().
  void RaiseCounter(size_t counter, Amount by) { counters_[counter].capacity += by; }
  void RaiseResource(size_t run, size_t resource, Amount by) {
    resources_[run][resource].capacity += by;
  }
  /// Finds the sets again in others.
  void Reset(AttributeSets* sets);

  const Pool& pool() const { return *pool_; }
  const std::string& fault() const { return fault_; }
  const std::vector<Run>& runs() const { return runs_; }
  /// Of the devices of a run.
  const std::vector<Take>& TakesOf(size_t run) const { return takes_[run]; }
  /// The own resources of the device of a shared run.
  const std::vector<Store>& ResourcesOf(size_t run) const { return resources_[run]; }
  const std::vector<Store>& counters() const { return counters_; }
  /// Claims that use the device of a shared run.
  int32_t UsersOf(size_t run) const { return users_[run]; }
  /// The run of a device; -1: the pool has none of the name.
  int32_t RunOf(std::string_view device) const;
  bool IsUsed(int32_t device) const { return used_[static_cast<size_t>(device)] != 0; }
  int64_t total() const { return total_; }
  int64_t used() const;

 private:
  void AddRuns(AttributeSets* sets);
  void AddDevice(int32_t index, AttributeSets* sets, std::map<std::string, int32_t>* last_equal);
  void UseDevice(const Allocation& held);
  int32_t FindDevice(std::string_view name) const;
  void UseShared(size_t run, const Allocation& held);
  void TakeCounters(size_t run);

  std::shared_ptr<const Pool> pool_;
  std::string fault_;
  int64_t total_ = 0;
  std::vector<Run> runs_;
  std::vector<std::vector<Take>> takes_;       // by run
  std::vector<std::vector<Store>> resources_;  // by run
  std::vector<Store> counters_;
  std::vector<int32_t> users_;    // by run
  std::vector<uint8_t> used_;     // by device
  std::vector<int32_t> run_of_;   // by device
  std::vector<int32_t> by_name_;  // devices
};

}  // namespace outrigger::devices
