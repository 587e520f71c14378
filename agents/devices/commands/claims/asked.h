#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/commands/claims/device_objects.h"

namespace outrigger::cli {

/// What a pod asks for. Pointers are into the DeviceObjects, of which claims must not be removed.
struct AskedClaims {
  std::string pod;  ///< "namespace/name"; empty: no pod, all claims of the files
  std::vector<const devices::ClaimObject*> claims;
  std::string refusal;  ///< why no node will do, whatever the claims are; empty: some may
  std::set<const devices::ClaimObject*> embedded;  ///< those of `claims` that are in the pod
};

/// The claims of `pod`, which is of `objects`. Claims that are embedded in the pod and that
/// `objects` does not have are added to it, as the agent would create them. InvalidArgument: one
/// cannot be read, or belongs to another pod. NotFound: one is not there; names that are near.
absl::StatusOr<AskedClaims> ClaimsOf(const DevicePod& pod, DeviceObjects* objects);

/// All claims in files of the user.
AskedClaims ClaimsOfFiles(const DeviceObjects& objects);

/// The pod that `name` (NAME or NAMESPACE/NAME) means. Empty: the only pod in files of the user, or
/// null if there is none. NotFound and InvalidArgument say which there are.
absl::StatusOr<const DevicePod*> FindPod(const DeviceObjects& objects, const std::string& name);

}  // namespace outrigger::cli
