#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "console/format/environment.h"
#include "console/reading/cluster_objects.h"
#include "console/reading/live_client.h"

namespace outrigger::cli {

/// The objects of the cluster that `flags` and `environment` name, read when they are asked for.
/// Makes no call. InvalidArgument names what is wrong with a kubeconfig; NotFound, if there is no
/// way to a cluster at all, says what to give instead.
absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenLiveCluster(const LiveClusterFlags& flags,
                                                                const Environment& environment);

}  // namespace outrigger::cli
