#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "load/annotate/node_values.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/needs.h"

namespace outrigger::annotate {

/// Which nodes a round is about.
enum class Scope : uint8_t {
  kChanged,  // those that changed since the round before, as far as the source can say
  kAll,
};

/// Computes what nodes should show. Called by one thread at a time.
class ValueSource {
 public:
  virtual ~ValueSource() = default;

  /// The values of the nodes of the snapshot. A Status: nothing is known of any node.
  virtual absl::StatusOr<std::vector<NodeValues>> Compute(
      std::shared_ptr<const ClusterSnapshot> snapshot, Scope scope, std::stop_token stop) = 0;

  /// The annotations that it may give values to, kMeasured included if it measures.
  virtual const std::vector<std::string>& Keys() const = 0;
  /// What it reads of nodes and pods; the annotations themselves not included.
  virtual Needs Reads() const = 0;
  /// True if a change in the cluster changes values at once, so that it begins a round.
  virtual bool FollowsCluster() const = 0;
  /// True if values depend on earlier calls, so that a replica that waits for the Lease has to
  /// call, too.
  virtual bool NeedsHistory() const = 0;
};

}  // namespace outrigger::annotate
