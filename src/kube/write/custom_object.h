#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "outrigger/agent/custom_objects.h"

// The verbs of CustomObjectAccess, whose header says what they promise. Of CallOptions only the
// timeout and the stop token count.

namespace outrigger::kube {

Resource ResourceOf(const CustomKind& kind);

/// NotFound: "DevicePool of devmgmtproto.k8s.io/v1alpha1 is not served by the API server: ...".
/// `versions`: those in which the kind is served, "v1, v2"; empty: none is known.
absl::Status NotServed(const CustomKind& kind, std::string_view versions = {});

absl::StatusOr<std::string> ReadCustomObject(Api& api, const CustomKind& kind,
                                             const CustomObjectName& object,
                                             const CallOptions& options);
absl::StatusOr<std::string> CreateCustomObject(Api& api, const CustomKind& kind,
                                               std::string_view namespace_, std::string_view json,
                                               const CallOptions& options);
/// The status as a subresource takes nothing of the metadata but the version, so that a patch with
/// another UID passes unnoticed. With a UID and without a version the object is therefore read
/// first, and the version that was read is what is patched. With both a UID that differs is seen
/// too late, and is Internal.
absl::StatusOr<std::string> PatchCustomStatus(Api& api, const CustomKind& kind,
                                              const CustomObjectName& object,
                                              std::string_view status_patch,
                                              const CallOptions& options);

}  // namespace outrigger::kube
