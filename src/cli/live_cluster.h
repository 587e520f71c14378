#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/cluster_objects.h"

namespace outrigger::cli {

/// How to reach a cluster, as kubectl's flags of the same names say it.
struct LiveClusterFlags {
  std::string kubeconfig;  ///< path, or empty
  std::string context;     ///< or empty: the current one
};

/// The objects of the cluster that `flags` name. InvalidArgument says what to give instead.
absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenLiveCluster(const LiveClusterFlags& flags);

}  // namespace outrigger::cli
