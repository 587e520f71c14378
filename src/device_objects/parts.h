#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/reader.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/devices/attribute.h"
#include "outrigger/devices/objects.h"
#include "outrigger/devices/pool.h"

// Readers of parts that several kinds have. Each replaces what was there.

namespace outrigger::device_objects {

using json::Field;
using json::KeyCase;
using json::Path;
using json::Value;

template <typename... Fields>
absl::Status ReadFields(Value value, const Path& at, const Fields&... fields) {
  return json::ReadObject<KeyCase::kAny>(value, at, fields...);
}

/// A malformed quantity is listed and `quantity` stays as it is.
absl::Status ReadQuantity(Value value, const Path& at, std::optional<Quantity>* quantity);
absl::Status ReadAmounts(Value value, const Path& at, devices::Amounts* amounts);
/// The list form of amounts: {name, allocation}.
absl::Status ReadAllocatedAmounts(Value value, const Path& at, devices::Amounts* amounts);
absl::Status ReadAttribute(Value value, const Path& at, devices::Attribute* attribute);

/// Reads a list by the reader of its elements; a null element is one in its default state.
template <typename Item, typename Reader>
absl::Status ReadList(Value value, const Path& at, std::vector<Item>* list, Reader read) {
  list->clear();
  return json::ForEachElement(value, at, [&](Value element, const Path& place) {
    Item& item = list->emplace_back();
    bool is_null = false;
    absl::Status status = json::TakeNull(element, place, &is_null);
    return is_null || !status.ok() ? status : read(element, place, &item);
  });
}

struct Metadata {
  std::string namespace_;
  std::string name;
  devices::ObjectVersion version;
  std::string owner_pod_uid;
};

absl::Status ReadMetadata(Value value, const Path& at, Metadata* metadata);
absl::Status ReadConfigs(Value value, const Path& at, std::vector<devices::ConfigReference>* list);

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
