#pragma once

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::kube {

/// Whether the owner of an object without a namespace is there, with that UID: asks the API server
/// which resource has its kind, and reads it. A kind that is not served, or lives in namespaces, is
/// not there. Errors as of PriorityClassAccess::OwnerExists().
absl::StatusOr<bool> OwnerExists(Api& api, const OwnerReference& owner, const CallOptions& options);

}  // namespace outrigger::kube
