#pragma once

#include <map>
#include <string>
#include <vector>

#include "devices/allocation/inventory.h"
#include "devices/commands/claims/device_objects.h"

namespace outrigger::cli {

/// Pools, classes and drivers, and what each claim holds.
struct DeviceUse {
  devices::Inventory inventory;
  std::map<std::string, std::vector<devices::Allocation>> held;  ///< by claim, "namespace/name"
};

/// Claims hold what their status has, but for those with admin access, which take nothing from
/// others; and claims that are gone or not written yet hold what pools have of them. What pools
/// have of `asked` alone does not count: these claims are about to get theirs.
DeviceUse FindDeviceUse(const DeviceObjects& objects,
                        const std::vector<const devices::ClaimObject*>& asked);

}  // namespace outrigger::cli
