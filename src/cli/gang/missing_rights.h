#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "outrigger/agent/access.h"

namespace outrigger::cli {

/// Which of these the account may not do, in the whole cluster, as the API server judges it
/// (SelfSubjectAccessReview): "delete
/// validatingadmissionpolicybindings.admissionregistration.k8s.io". Empty: it may do all. Errors
/// are those of the calls. Blocks; thread-safe.
absl::StatusOr<std::vector<std::string>> MissingRights(kube::Api& api,
                                                       const std::vector<AccessRule>& wanted,
                                                       const kube::CallOptions& options = {});

}  // namespace outrigger::cli
