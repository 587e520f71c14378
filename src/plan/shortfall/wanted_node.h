#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/k8s/node.h"
#include "plan/nodes/domains.h"
#include "plan/nodes/node_space.h"

namespace outrigger::plan {

/// A label of which every node has a value of its own.
inline constexpr const char* kHostname = "kubernetes.io/hostname";

/// The least node that takes one member of the shape and nothing beside it, within a domain if
/// `labels` are given (with the values of `domain`). Without a name. Nothing: no node that could be
/// named would be taken by the member (its selectors ask for a node by name, or exclude each
/// other).
std::optional<Node> WantedNode(const NodeSpace& space, ShapeIndex shape,
                               const std::vector<std::string>& labels, const Domain* domain);

/// An amount of a resource as people write it.
Quantity QuantityOf(std::string_view name, int64_t value);

/// "cpu 8, memory 16Gi free and label gpu=a100": what tells such a node from others.
std::string TextOfWanted(const Node& node, const std::vector<std::string>& domain_labels);

/// "cpu 8, memory 16Gi"; "no resources".
std::string TextOfRequests(const NodeSpace& space, ShapeIndex shape);

}  // namespace outrigger::plan
