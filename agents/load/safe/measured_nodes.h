#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/request.h"

namespace outrigger::safe {

/// Says when no node has been measured: then the agent refuses none and scores all alike, which
/// looks like an answer. Thread-safe.
class MeasuredNodes {
 public:
  /// The gauge that has how many are.
  static constexpr std::string_view kMetric = "outrigger_safe_measured_nodes";

  /// Tells whether statistics of the node are there, and not too old.
  using IsMeasured = absl::FunctionRef<bool(const Node& node)>;

  explicit MeasuredNodes(const AgentDeps& deps)
      : cluster_(deps.cluster), metrics_(deps.metrics), warn_(deps.warn) {}

  /// Counts, at most once in ten seconds, the nodes of the cluster, or those of the call where it
  /// is not known. Warns once when there are none, and again once there were some.
  void Look(const NodeList& of_call, double now, IsMeasured is_measured);

 private:
  void Count(size_t nodes, size_t measured);

  ClusterReader* const cluster_;  // null: none
  AgentMetrics* const metrics_;
  const std::function<void(std::string_view)> warn_;
  std::atomic<double> next_ = 0;
  std::atomic<bool> is_warned_ = false;
};

}  // namespace outrigger::safe
