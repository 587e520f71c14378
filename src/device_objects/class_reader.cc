#include <string>
#include <utility>
#include <vector>

#include "device_objects/parts.h"
#include "device_objects/readers.h"

namespace outrigger::device_objects {

absl::Status ReadClass(json::Object object, const Path& at, devices::Class* of) {
  *of = devices::Class();
  const auto spec = [of](Value value, const Path& place) {
    return ReadFields(
        value, place, Field{"driver", &of->driver}, Field{"deviceType", &of->device_type},
        Field{"constraints", &of->constraints}, Field{"minDeviceCount", &of->min_count},
        Field{"maxDeviceCount", &of->max_count}, Field{"matchAttributes", &of->match_attributes},
        Field{"adminAccess", &of->admin_access});
  };
  Metadata metadata;
  absl::Status status = ReadKind(object, at, &metadata, spec, Skip);
  of->name = std::move(metadata.name);
  return status;
}

// A driver has no spec.
absl::Status ReadDriver(json::Object object, const Path& at, devices::Driver* driver) {
  *driver = devices::Driver();
  const auto metadata = [driver](Value value, const Path& place) {
    return json::ReadObject(value, place, Field{"name", &driver->name});
  };
  absl::Status status = json::ReadObject<KeyCase::kAny>(
      object, at, Field{"metadata", metadata}, Field{"deviceTypes", &driver->device_types});
  if (status.ok() && driver->name.empty()) {
    return json::Invalid(at.Key("metadata").Key("name"), "is empty");
  }
  return status;
}

}  // namespace outrigger::device_objects
