#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/k8s/pod.h"

// The verbs of PriorityClassAccess, whose header says what they promise. Of CallOptions only the
// timeout and the stop token count: nothing is sent twice, or waits for the client's rate limit.

namespace outrigger::kube {

/// Whether the owner of an object without a namespace is there, with that UID: asks the API server
/// which resource has its kind, and reads it. A kind that is not served, or lives in namespaces, is
/// not there. Errors as of PriorityClassAccess::OwnerExists().
absl::StatusOr<bool> OwnerExists(Api& api, const OwnerReference& owner, const CallOptions& options);

absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest);
absl::StatusOr<PriorityClass> ReadPriorityClass(Api& api, std::string_view name,
                                                const CallOptions& options);
absl::StatusOr<PriorityClass> CreatePriorityClass(Api& api, const NewPriorityClass& made,
                                                  const CallOptions& options);
absl::Status TryCreatePriorityClass(Api& api, const NewPriorityClass& made,
                                    const CallOptions& options);
/// InvalidArgument without a UID or a version.
absl::Status DeletePriorityClass(Api& api, std::string_view name, std::string_view uid,
                                 std::string_view resource_version, const CallOptions& options);
absl::StatusOr<AdmittedPod> TryPod(Api& api, std::string_view namespace_,
                                   std::string_view class_name, const CallOptions& options);

}  // namespace outrigger::kube
