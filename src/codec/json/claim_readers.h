#pragma once

#include "codec/json/reader.h"
#include "outrigger/k8s/claims.h"

// Readers of what pods claim. All read anew; kind and apiVersion are not looked at. InvalidArgument
// names the place of what has a wrong type, or of a name that is missing.

namespace outrigger::json {

absl::Status ReadVolume(Object object, const Path& at, Volume* volume);
absl::Status ReadVolumeClaim(Object object, const Path& at, VolumeClaim* claim);
absl::Status ReadStorageClass(Object object, const Path& at, StorageClass* of);
/// Of resource.k8s.io/v1.
absl::Status ReadDeviceClaim(Object object, const Path& at, DeviceClaim* claim);
absl::Status ReadDeviceClass(Object object, const Path& at, DeviceClass* of);

}  // namespace outrigger::json
