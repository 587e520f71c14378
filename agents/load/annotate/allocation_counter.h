#pragma once

#include <string>

#include "load/annotate/node_values.h"
#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger::annotate {

/// Counts what the pods of a node request, and what is free, as kube-scheduler counts it: every pod
/// from its binding until it has finished, with init containers, overhead and resizes
/// (PodRequestsOnNode()). cpu in millicores, memory and ephemeral-storage in bytes, all as integers
/// rounded up as kube-scheduler rounds. Free is allocatable without requested, at least 0.
/// Thread-compatible.
class AllocationCounter {
 public:
  /// `gpu`: the extended resource that the annotations call gpu.
  explicit AllocationCounter(std::string gpu) : gpu_(std::move(gpu)) {}

  /// A node that is not Ready has no values; cause "not-ready".
  NodeValues Count(const NodeView& node) const;

 private:
  const std::string gpu_;
};

/// What a node has that is not Ready: no value, with cause "not-ready", for each annotation.
NodeValues ValuesOfUnready(const NodeView& node);

}  // namespace outrigger::annotate
