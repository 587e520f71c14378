#pragma once

#include <string_view>

#include "codec/json/reader.h"
#include "devices/allocation/device_class.h"
#include "devices/objects/admin_access.h"
#include "devices/objects/objects.h"

// Readers of whole objects. Each replaces what was there.

namespace outrigger::device_objects {

absl::Status ReadPool(json::Object object, const json::Path& at, devices::PoolObject* pool);
absl::Status ReadClass(json::Object object, const json::Path& at, devices::ClassObject* of);
absl::Status ReadDriver(json::Object object, const json::Path& at, devices::Driver* driver);
/// Of the kind that the object names; without one, of `kind`.
absl::Status ReadClaim(json::Object object, const json::Path& at, std::string_view kind,
                       devices::ClaimObject* claim);
/// A kind of Kubernetes itself, whose fields have one case.
absl::Status ReadNamespace(json::Object object, const json::Path& at,
                           devices::NamespaceObject* name_space);

/// The status of each.
absl::Status ReadPoolStatus(json::Value value, const json::Path& at, devices::PoolObject* pool);
absl::Status ReadClaimStatus(json::Value value, const json::Path& at, devices::ClaimObject* claim);

}  // namespace outrigger::device_objects
