#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "devices/dra/objects.h"
#include "outrigger/agent/custom_objects.h"

// Objects of resource.k8s.io as the API server writes them.

namespace outrigger::dra {

inline constexpr CustomKind kSliceKind{"resource.k8s.io", "v1", "resourceslices", "ResourceSlice",
                                       false};
inline constexpr CustomKind kClassKind{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass",
                                       false};
inline constexpr CustomKind kClaimKind{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim",
                                       true};

inline constexpr CustomKind kTaintRuleKind{"resource.k8s.io", "v1", "devicetaintrules",
                                           "DeviceTaintRule", false};

// InvalidArgument names the place of what cannot be read. Thread-safe.
absl::StatusOr<Slice> ParseSlice(std::string_view json);
absl::StatusOr<Class> ParseClass(std::string_view json);
absl::StatusOr<Claim> ParseClaim(std::string_view json);
absl::StatusOr<TaintRule> ParseTaintRule(std::string_view json);

}  // namespace outrigger::dra
