#pragma once

#include "codec/json/pod_parts.h"
#include "codec/json/reader.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::json {

/// Read a pod's `spec` and `status` into the fields of `pod` that come from there and are needed,
/// and into `parts`.
absl::Status ReadPodSpec(Value value, const Path& at, const Needs& needs, Pod* pod,
                         PodParts* parts);
absl::Status ReadPodStatus(Value value, const Path& at, const Needs& needs, Pod* pod,
                           PodParts* parts);

/// An element of spec.resourceClaims or of status.resourceClaimStatuses.
absl::Status Read(Value value, const Path& at, NamedClaim* claim);

}  // namespace outrigger::json
