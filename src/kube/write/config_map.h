#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/objects.h"
#include "outrigger/agent/config_maps.h"

// The verbs of ConfigMapAccess, whose header says what they promise. Of CallOptions only the
// timeout and the stop token count.

namespace outrigger::kube {

absl::StatusOr<ConfigMap> ReadConfigMap(Api& api, std::string_view namespace_,
                                        std::string_view name, const CallOptions& options);
absl::StatusOr<ConfigMap> WriteConfigMap(Api& api, const ConfigMap& map,
                                         const CallOptions& options);
/// InvalidArgument without a UID or a version.
absl::Status DeleteConfigMap(Api& api, const ConfigMap& map, const CallOptions& options);

}  // namespace outrigger::kube
