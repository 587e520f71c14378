#pragma once

#include <string_view>

#include "json/reader.h"
#include "outrigger/devices/claim.h"
#include "outrigger/devices/device_class.h"
#include "outrigger/devices/pool.h"

namespace outrigger::device_objects {

absl::Status ReadPool(json::Object object, const json::Path& at, devices::Pool* pool);
absl::Status ReadClass(json::Object object, const json::Path& at, devices::Class* of);
absl::Status ReadDriver(json::Object object, const json::Path& at, devices::Driver* driver);
absl::Status ReadClaim(json::Object object, const json::Path& at, bool is_privileged,
                       devices::Claim* claim);

}  // namespace outrigger::device_objects
