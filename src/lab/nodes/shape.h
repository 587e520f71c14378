#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/k8s/resources.h"

// Nodes by count and shape, as `--nodes` says them.

namespace outrigger::lab {

/// The label by which racks are told apart, and the one of simulated nodes.
inline constexpr std::string_view kRackLabel = "topology.kubernetes.io/rack";
inline constexpr std::string_view kSimulatedLabel = "lab.outrigger.dev/simulated";

/// What one `--nodes` says.
struct NodeShape {
  static constexpr int kMostNodes = 20'000;

  int count = 0;
  ResourceList allocatable;  // "pods" and all
  int racks = 0;             // 0: nodes have no rack
  int zones = 1;
  std::string prefix = "node-";
  std::vector<std::pair<std::string, std::string>> labels = {};
};

/// What ParseNodeShape() accepts, for helps and errors.
extern const std::string_view kNodeShapeSyntax;

/// Reads "500,cpu=32,memory=128Gi,nvidia.com/gpu=8,racks=20": the number of nodes, then in any
/// order, each once:
///   RESOURCE=AMOUNT    cpu (32 if not given), memory (128Gi), ephemeral-storage (100Gi),
///                      pods (110), hugepages-SIZE, or a name with a domain (nvidia.com/gpu)
///   racks=N, zones=N   so many of each, of neighbouring nodes; not more zones than racks
///   prefix=TEXT        names are the prefix and a number
///   label:KEY=VALUE    a label of every node
/// InvalidArgument names the part and what is accepted.
absl::StatusOr<NodeShape> ParseNodeShape(std::string_view text);

/// One node.
struct SimulatedNode {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels = {};
  ResourceList allocatable = {};
  std::string more = {};  // a JSON object: what else the Node has, such as taints; or empty
};

/// `nodes` and those of all shapes. Numbers go on where a former shape of the same prefix has
/// ended: node-0000, node-0001, ... Neighbours are in one rack, and neighbouring racks in one zone.
/// InvalidArgument: there are none, or too many, or two of one name.
absl::StatusOr<std::vector<SimulatedNode>> NodesOf(const std::vector<NodeShape>& shapes,
                                                   std::vector<SimulatedNode> nodes = {});

}  // namespace outrigger::lab
