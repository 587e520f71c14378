#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gang/plan/nodes/node_space.h"

namespace outrigger::plan {

/// Nodes that share a value of each of some labels.
struct Domain {
  std::vector<std::string> values;  // of the labels, in their order
  std::vector<Slot> slots;          // in the order of the nodes' names
};

/// The domains that `labels` divide `slots` into, in the order of the values. Nodes that lack one
/// of the labels are in none.
std::vector<Domain> Divide(const NodeSpace& space, const std::vector<Slot>& slots,
                           const std::vector<std::string>& labels);

/// "r7", or "z1/r7" of several labels.
std::string TextOf(const Domain& domain);

/// The domains of all nodes, worked out once for each list of labels while nodes do not change.
class DomainTable {
 public:
  explicit DomainTable(const NodeSpace* space) : space_(space) {}
  /// Lives until a node changes.
  const std::vector<Domain>& Of(const std::vector<std::string>& labels);

 private:
  const NodeSpace* space_;
  uint64_t generation_ = 0;
  absl::flat_hash_map<std::vector<std::string>, std::vector<Domain>> table_;
};

}  // namespace outrigger::plan
