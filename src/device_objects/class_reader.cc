#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device_objects/parts.h"
#include "device_objects/readers.h"

namespace outrigger::device_objects {

namespace {

struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::optional<devices::WallTime> since;
};

absl::Status ReadCondition(Value value, const Path& at, devices::ClassObject* of) {
  Condition condition;
  const auto since = [&condition](Value text, const Path& place) {
    return ReadWallTime(text, place, &condition.since);
  };
  absl::Status status =
      ReadFields(value, at, Field{"type", &condition.type}, Field{"status", &condition.status},
                 Field{"reason", &condition.reason}, Field{"message", &condition.message},
                 Field{"lastTransitionTime", since});
  if (!status.ok() || condition.type != "Ready") return status;
  of->ready = std::nullopt;
  if (condition.status == "True" || condition.status == "False") {
    of->ready = condition.status == "True";
  }
  of->ready_reason = std::move(condition.reason);
  of->ready_message = std::move(condition.message);
  of->ready_since = condition.since;
  return status;
}

absl::Status ReadClassSpec(Value value, const Path& at, devices::ClassObject* object) {
  devices::Class& of = object->of;
  const auto configs = [object](Value list, const Path& place) {
    return ReadConfigs(list, place, &object->configs);
  };
  return ReadFields(value, at, Field{"driver", &of.driver}, Field{"deviceType", &of.device_type},
                    Field{"constraints", &of.constraints}, Field{"minDeviceCount", &of.min_count},
                    Field{"maxDeviceCount", &of.max_count},
                    Field{"matchAttributes", &of.match_attributes},
                    Field{"adminAccess", &of.admin_access}, Field{"configs", configs});
}

}  // namespace

absl::Status ReadClass(json::Object object, const Path& at, devices::ClassObject* of) {
  *of = devices::ClassObject();
  const auto spec = [of](Value value, const Path& place) {
    return ReadClassSpec(value, place, of);
  };
  const auto conditions = [of](Value list, const Path& place) {
    return json::ForEachElement(list, place, [of](Value condition, const Path& where) {
      return ReadCondition(condition, where, of);
    });
  };
  const auto read_status = [&](Value value, const Path& place) {
    return ReadFields(value, place, Field{"conditions", conditions},
                      Field{"drivers", &of->drivers});
  };
  Metadata metadata;
  absl::Status status = ReadKind(object, at, devices::kClassKind, &metadata, Field{"spec", spec},
                                 Field{"status", read_status});
  of->of.name = std::move(metadata.name);
  of->version = std::move(metadata.version);
  return status;
}

// A driver has no spec.
absl::Status ReadDriver(json::Object object, const Path& at, devices::Driver* driver) {
  *driver = devices::Driver();
  Metadata metadata;
  absl::Status status = ReadKind(object, at, devices::kDriverKind, &metadata,
                                 Field{"deviceTypes", &driver->device_types});
  driver->name = std::move(metadata.name);
  return status;
}

}  // namespace outrigger::device_objects
