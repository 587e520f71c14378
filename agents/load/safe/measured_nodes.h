#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/request.h"

namespace outrigger::safe {

/// Says when no node has been measured: then the agent refuses none and scores all alike, which
/// looks like an answer. Says it in the log, as a metric and as an Event of the agent's pod.
/// Thread-safe.
class MeasuredNodes {
 public:
  /// The gauge that is 1 while there is one.
  static constexpr std::string_view kMetric = "outrigger_safe_measured";

  /// Tells whether statistics of the node are there, and not too old.
  using IsMeasured = absl::FunctionRef<bool(const Node& node)>;

  explicit MeasuredNodes(const AgentDeps& deps)
      : cluster_(deps.cluster), metrics_(deps.metrics), warn_(deps.warn), own_pod_(deps.own_pod) {}

  /// Looks, at most once in ten seconds, for a node that is measured: in the cluster, or in the
  /// call where the cluster is not known and the call is about several. Warns once when there is
  /// none, and again once there was one.
  void Look(const NodeList& of_call, double now, IsMeasured is_measured);

 private:
  /// `snapshot` may be null.
  void Tell(const ClusterSnapshot* snapshot, size_t nodes, bool is_any);
  void Record(const ClusterSnapshot& snapshot, std::string note);

  ClusterAccess* const cluster_;  // null: none
  AgentMetrics* const metrics_;
  const std::function<void(std::string_view)> warn_;
  const std::string own_pod_;
  std::atomic<double> next_ = 0;
  std::atomic<bool> is_warned_ = false;
};

}  // namespace outrigger::safe
