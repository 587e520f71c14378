#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/json/reader.h"
#include "devices/allocation/pool.h"
#include "devices/objects/objects.h"
#include "outrigger/agent/custom_objects.h"

// Readers of parts that several kinds have. Each replaces what was there.

namespace outrigger::device_objects {

using json::Field;
using json::KeyCase;
using json::Path;
using json::ReadList;
using json::ReadQuantity;
using json::Value;

template <typename... Fields>
absl::Status ReadFields(Value value, const Path& at, const Fields&... fields) {
  return json::ReadObject<KeyCase::kAny>(value, at, fields...);
}

/// What to write in place of the unknown field `key`: "a known field; did you mean driver?", or all
/// that are known.
std::string FieldHint(std::string_view key, std::initializer_list<std::string_view> known);

/// Reads an object of a spec, in which an unknown field is listed as malformed: to ignore a
/// constraint would give wrong devices.
template <typename... Fields>
absl::Status ReadSpecFields(Value value, const Path& at, const Fields&... fields) {
  const auto report = [&](std::string_view key, const Path& place) {
    const bool is_listed =
        place.malformed() != nullptr && place.malformed()->size() < json::kMaxMalformed;
    if (is_listed) place.Malformed(key, FieldHint(key, {fields.key...}));
    return absl::OkStatus();
  };
  return json::ReadKnownFields<KeyCase::kAny>(value, at, report, fields...);
}

/// A field that k8srm-prototype or its examples have under another name, which is read, too.
struct RenamedField {
  std::string_view old_name;
  std::string_view name;
};
inline constexpr RenamedField kMatchAttributes{"attributeMatches", "matchAttributes"};
inline constexpr RenamedField kMaxDeviceCount{"deviceMaxCount", "maxDeviceCount"};
inline constexpr RenamedField kDeviceType{"deviceTypes", "deviceType"};

/// Lists the old name as malformed, since its value is not that of the new name.
void ReportBothNames(const Path& at, const RenamedField& field);

/// Takes over what an object has under the old name of a field.
template <typename T>
void TakeOld(const Path& at, const RenamedField& field, T old, T* value) {
  if (old == T()) return;
  if (*value == T()) {
    *value = std::move(old);
  } else if (*value != old) {
    ReportBothNames(at, field);
  }
}
/// The same of deviceTypes, of which one is taken.
void TakeOldTypes(const Path& at, std::vector<std::string> old, std::string* type);

absl::Status ReadAmounts(Value value, const Path& at, devices::Amounts* amounts);
/// The list form of amounts: {name, allocation}.
absl::Status ReadAllocatedAmounts(Value value, const Path& at, devices::Amounts* amounts);
absl::Status ReadAttribute(Value value, const Path& at, devices::Attribute* attribute);

struct Metadata {
  std::string namespace_;
  std::string name;
  devices::ObjectVersion version;
  std::string owner_pod_uid;
};

absl::Status ReadMetadata(Value value, const Path& at, Metadata* metadata);
absl::Status ReadConfigs(Value value, const Path& at, std::vector<devices::ConfigReference>* list);
/// Why one of them can be no configuration; empty: all can. `namespace_`: the only one they may be
/// in; empty: any.
std::string ConfigsFault(const std::vector<devices::ConfigReference>& configs,
                         std::string_view namespace_);

/// Reads a point in time, which `time` stays without where it is malformed.
absl::Status ReadWallTime(Value value, const Path& at, std::optional<devices::WallTime>* time);

/// InvalidArgument if an object says that it is of another kind, group or version than `kind`.
absl::Status CheckType(const Path& at, std::string_view api_version, std::string_view kind,
                       const CustomKind& expected);

/// Reads an object's type, its metadata and what `rest` reads. A name must be there.
template <typename... Fields>
absl::Status ReadKind(json::Object object, const Path& at, Metadata* metadata, std::string* kind,
                      std::string* api_version, const Fields&... rest) {
  const auto read = [metadata](Value value, const Path& place) {
    return ReadMetadata(value, place, metadata);
  };
  absl::Status done = json::ReadObject<KeyCase::kAny>(object, at, Field{"kind", kind},
                                                      Field{"apiVersion", api_version},
                                                      Field{"metadata", read}, rest...);
  if (done.ok() && metadata->name.empty()) {
    return json::Invalid(at.Key("metadata").Key("name"), "is empty");
  }
  return done;
}

/// The same of an object that is of the kind `expected` where it has a kind.
template <typename... Fields>
absl::Status ReadKind(json::Object object, const Path& at, const CustomKind& expected,
                      Metadata* metadata, const Fields&... rest) {
  std::string kind;
  std::string api_version;
  absl::Status done = ReadKind(object, at, metadata, &kind, &api_version, rest...);
  return done.ok() ? CheckType(at, api_version, kind, expected) : done;
}

}  // namespace outrigger::device_objects
