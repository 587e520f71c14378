#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/explain/cluster_objects.h"
#include "cli/format/environment.h"

namespace outrigger::cli {

/// How to reach a cluster, as kubectl's flags of the same names say it.
struct LiveClusterFlags {
  std::string kubeconfig;  ///< path; empty: KUBECONFIG, ~/.kube/config, the pod's service account
  std::string context;     ///< or empty: the current one
};

/// The objects of the cluster that `flags` and `environment` name, read when they are asked for.
/// Makes no call. InvalidArgument names what is wrong with a kubeconfig; NotFound, if there is no
/// way to a cluster at all, says what to give instead.
absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenLiveCluster(const LiveClusterFlags& flags,
                                                                const Environment& environment);

}  // namespace outrigger::cli
