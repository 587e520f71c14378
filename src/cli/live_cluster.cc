#include "cli/live_cluster.h"

namespace outrigger::cli {

absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenLiveCluster(const LiveClusterFlags& /*flags*/) {
  return absl::InvalidArgumentError(
      "--cluster FILE is needed: this program does not read clusters itself yet. `kubectl get "
      "nodes,pods -A -o json | outrigger explain pod NAME --cluster -` is the same");
}

}  // namespace outrigger::cli
