#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/dra/allocator.h"
#include "devices/dra/objects.h"

// Which pools a node sees. As upstream's pools_incubating.go, v0.37.

namespace outrigger::dra {

/// A pool as one node sees it. Pointers are into the objects.
struct Pool {
  std::string_view driver;
  std::string_view name;
  bool incomplete = false;  ///< not all of its slices are there
  std::string fault;        ///< why nothing of it can be used; empty: it can
  bool has_binding_conditions = false;
  std::vector<const Slice*> slices;     ///< with devices of this node, by name
  std::vector<const Slice*> elsewhere;  ///< with devices of other nodes alone
  std::vector<const CounterSet*> counters;

  bool usable() const { return !incomplete && fault.empty(); }
};

bool Matches(const NodeChoice& choice, const Node& node);

/// All slices, by what is looked for. Immutable.
class Slices {
 public:
  /// Of `cluster`, which outlives it, with the taints that its rules add.
  explicit Slices(const Cluster& cluster);
  Slices(const Slices&) = delete;
  Slices& operator=(const Slices&) = delete;

  /// Those of which `node` may use devices: by driver and name, pools with binding conditions last.
  std::vector<Pool> PoolsOf(const Node& node) const;

 private:
  using Key = std::pair<std::string_view, std::string_view>;  // driver, pool

  void Collect(const Slice* slice, const Node& node,
               std::map<Key, std::vector<const Slice*>>* pools) const;
  Pool Build(const Key& key, const std::vector<const Slice*>& relevant) const;

  std::vector<Slice> tainted_;  // copies, where there are rules
  std::map<std::string_view, std::vector<const Slice*>> by_node_;
  std::vector<const Slice*> shared_;  // of no single node
  std::map<Key, std::vector<const Slice*>> by_pool_;
};

}  // namespace outrigger::dra
