#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/usage/node_index.h"
#include "load/usage/prometheus_answer.h"

namespace outrigger::usage {

inline constexpr size_t kNoNode = static_cast<size_t>(-1);

/// Nodes that one query asks about.
struct Batch {
  std::string label;          // by which they are selected
  std::vector<size_t> nodes;  // indexes of matches, ascending
};

/// Divides the nodes that have a selector into batches of one label each, none with more than
/// `most` of `weights` (as the matches) or more than `most_nodes` nodes. A node that is heavier
/// alone is a batch of its own. `most_nodes` above 0.
std::vector<Batch> BatchesOf(std::span<const NodeMatch> matches, std::span<const double> weights,
                             double most, size_t most_nodes);

/// The first or the second half of a batch of two nodes or more.
Batch HalfOf(const Batch& batch, bool first);

/// The regular expression of the batch's nodes, for $nodes.
std::string NodesOf(const Batch& batch, std::span<const NodeMatch> matches);

/// Which node of a batch a series of the answer is of. All that it is made from must outlive it.
class BatchPlaces {
 public:
  BatchPlaces(const Batch& batch, std::span<const NodeMatch> matches, const NodeIndex& index);

  /// The place in `batch.nodes`, or, of a batch without nodes, the index of the question: by the
  /// label that selects the batch; where the answer does not have it, by all that names a node.
  /// kNoNode where that is no node of the batch.
  size_t Of(const Labels& labels) const;

 private:
  const Batch& batch_;
  const NodeIndex& index_;
  std::map<std::string_view, size_t> by_value_;
};

}  // namespace outrigger::usage
