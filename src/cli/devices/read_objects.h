#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/args/command.h"
#include "cli/claims/device_objects.h"
#include "cli/format/world.h"

namespace outrigger::cli {

/// All that is in the files and in the cluster of `sources`. `pod` ("", NAME or NAMESPACE/NAME) is
/// the one pod that a live cluster is asked for; of a file all are read. `notes` gets what was left
/// out.
///
/// Errors as those of files and of the API server; InvalidArgument for what they hold.
absl::StatusOr<DeviceObjects> ReadDeviceObjects(const DeviceSources& sources,
                                                const std::string& pod, const World& world,
                                                std::vector<std::string>* notes);

}  // namespace outrigger::cli
