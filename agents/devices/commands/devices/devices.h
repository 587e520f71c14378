#pragma once

#include <string>

#include "console/args/command.h"
#include "devices/commands/claims/device_objects.h"

namespace outrigger::cli {

/// `outrigger devices`: the pools, how much of each is in use, and by whom. Errors as those of
/// ReadDeviceObjects().
Command DevicesCommand();

/// The forms of the list.
std::string DevicesTable(const DeviceObjects& objects, bool color, size_t columns);
std::string DevicesJson(const DeviceObjects& objects);

}  // namespace outrigger::cli
