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
  /// The gauge that is 1 while there is one.
  static constexpr std::string_view kMetric = "outrigger_safe_measured";

  /// Tells whether statistics of the node are there, and not too old.
  using IsMeasured = absl::FunctionRef<bool(const Node& node)>;

  explicit MeasuredNodes(const AgentDeps& deps)
      : cluster_(deps.cluster), metrics_(deps.metrics), warn_(deps.warn) {}

  /// Looks, at most once in ten seconds, for a node that is measured: in the cluster, or in the
  /// call where the cluster is not known and the call is about several. Warns once when there is
  /// none, and again once there was one.
  void Look(const NodeList& of_call, double now, IsMeasured is_measured);

 private:
  void Tell(size_t nodes, bool is_any);

  ClusterReader* const cluster_;  // null: none
  AgentMetrics* const metrics_;
  const std::function<void(std::string_view)> warn_;
  std::atomic<double> next_ = 0;
  std::atomic<bool> is_warned_ = false;
};

}  // namespace outrigger::safe
