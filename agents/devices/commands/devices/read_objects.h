#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"
#include "devices/commands/claims/device_objects.h"
#include "devices/commands/dra/dra_objects.h"

namespace outrigger::cli {

/// All that is in the files and in the cluster of `sources`. `pod` ("", NAME or NAMESPACE/NAME) is
/// the one pod that a live cluster is asked for; of a file all are read. `notes` gets what was left
/// out. `dra`, if it is not null, takes the same objects, and those of resource.k8s.io.
///
/// Errors as those of files and of the API server; InvalidArgument for what they hold.
absl::StatusOr<DeviceObjects> ReadDeviceObjects(const DeviceSources& sources,
                                                const std::string& pod, const World& world,
                                                std::vector<std::string>* notes,
                                                DraTaker* dra = nullptr);

}  // namespace outrigger::cli
