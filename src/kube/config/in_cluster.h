#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "kube/config/config.h"

namespace outrigger::kube {

/// Whether KUBERNETES_SERVICE_HOST and _PORT are set, as they are in every container.
bool IsInCluster(const Environment& environment);

/// The API server and service account of the pod that this runs in: token, CA and namespace are
/// files below /var/run/secrets/kubernetes.io/serviceaccount, looked for behind `root`. Token and
/// CA are read again while they are in use. FailedPrecondition without the variables; a missing
/// token or CA is NotFound and named.
absl::StatusOr<ClientConfig> InClusterConfig(const Environment& environment,
                                             const std::string& root = {});

}  // namespace outrigger::kube
