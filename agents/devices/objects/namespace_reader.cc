#include "devices/objects/readers.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger::device_objects {

absl::Status ReadNamespace(json::Object object, const json::Path& at,
                           devices::NamespaceObject* name_space) {
  *name_space = devices::NamespaceObject();
  StringMap labels;
  const auto metadata = [&](json::Value value, const json::Path& place) {
    return json::ReadObject(value, place, json::Field{"name", &name_space->name},
                            json::Field{"labels", &labels});
  };
  absl::Status status = json::ReadObject(object, at, json::Field{"metadata", metadata});
  if (status.ok() && name_space->name.empty()) {
    return json::Invalid(at.Key("metadata").Key("name"), "is empty");
  }
  name_space->admin_access = labels.Get(devices::kAdminAccessLabel) == "true";
  return status;
}

}  // namespace outrigger::device_objects
