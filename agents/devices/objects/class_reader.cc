#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/objects/parts.h"
#include "devices/objects/readers.h"

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
  std::vector<std::string> old_types;
  std::optional<int64_t> old_most;
  std::vector<std::string> old_matches;
  absl::Status status = ReadSpecFields(
      value, at, Field{"driver", &of.driver}, Field{kDeviceType.name, &of.device_type},
      Field{kDeviceType.old_name, &old_types}, Field{"constraints", &of.constraints},
      Field{"minDeviceCount", &of.min_count}, Field{kMaxDeviceCount.name, &of.max_count},
      Field{kMaxDeviceCount.old_name, &old_most},
      Field{kMatchAttributes.name, &of.match_attributes},
      Field{kMatchAttributes.old_name, &old_matches}, Field{"adminAccess", &of.admin_access},
      Field{"configs", configs});
  TakeOldTypes(at, std::move(old_types), &of.device_type);
  TakeOld(at, kMaxDeviceCount, old_most, &of.max_count);
  TakeOld(at, kMatchAttributes, std::move(old_matches), &of.match_attributes);
  of.fault = ConfigsFault(object->configs, "");
  return status;
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
