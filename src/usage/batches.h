#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "usage/node_index.h"

namespace outrigger::usage {

/// Nodes that one query asks about.
struct Batch {
  std::string label;          // by which they are selected
  std::vector<size_t> nodes;  // indexes of matches
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

}  // namespace outrigger::usage
