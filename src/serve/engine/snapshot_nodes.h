#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "cluster/cluster.h"
#include "serve/engine/node_table.h"

namespace outrigger::engine {

/// The nodes of a cluster that is followed. Thread-safe.
class SnapshotNodes final : public NodeSource {
 public:
  /// `cluster` outlives this. `usable` says whether it may be decided by; Pin() asks it each time.
  SnapshotNodes(cluster::Cluster* cluster, std::function<absl::Status()> usable)
      : cluster_(*cluster), usable_(std::move(usable)) {}

  absl::StatusOr<std::shared_ptr<const NodeView>> Pin() const override;
  bool AwaitChange(uint64_t generation, std::chrono::milliseconds limit,
                   const std::stop_token& abandoned) const override;

 private:
  cluster::Cluster& cluster_;
  const std::function<absl::Status()> usable_;
};

}  // namespace outrigger::engine
