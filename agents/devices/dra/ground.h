#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/dra/expressions.h"
#include "devices/dra/holdings.h"
#include "devices/dra/objects.h"
#include "devices/dra/pools.h"
#include "outrigger/k8s/node.h"

namespace outrigger::dra {

/// A device of a node.
struct Spot {
  const Slice* slice = nullptr;
  const Device* device = nullptr;
  const Use* use = nullptr;  ///< null: no claim has any of it
  InUse in_use;              ///< of which this counts
  size_t pool = 0;           ///< index in Ground
  bool here = true;          ///< the device, not only its slice, is of this node
  /// What it takes: indices in the pool's counters.
  std::vector<std::pair<size_t, Quantity>> consumes;
};

/// The counters of a pool that allocations leave.
struct Counters {
  std::vector<std::pair<std::string_view, std::string_view>> names;  ///< set, counter
  std::vector<Quantity> left;
};

/// What a node has for claims. Immutable.
class Ground {
 public:
  /// All outlive it. What the claims of `without` have counts as free.
  Ground(const Slices& slices, const Holdings& holdings, const Node& node,
         const std::set<std::string>& without);

  const Node& node() const { return node_; }
  const std::vector<Pool>& pools() const { return pools_; }
  /// Of pools that can be used, in the order in which they are tried.
  const std::vector<Spot>& spots() const { return spots_; }
  const Counters& counters(size_t pool) const { return counters_[pool]; }

 private:
  void AddCounters(size_t pool, const Holdings& holdings, const std::set<std::string>& without);
  void AddSpots(size_t pool, const Holdings& holdings, const std::set<std::string>& without);

  const Node& node_;
  const std::vector<Pool> pools_;
  std::vector<Spot> spots_;
  std::vector<Counters> counters_;  // by pool
};

/// Where `name`, "domain/id", is among the attributes; an id alone has the driver's domain. Null:
/// the device has none.
const AttributeValue* AttributeOf(const Device& device, std::string_view driver,
                                  std::string_view name);

/// The first taint, by number, that `ask` does not tolerate; -1: none hinders.
int HinderingTaint(const Device& device, const Ask& ask);

}  // namespace outrigger::dra
