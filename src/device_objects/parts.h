#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/reader.h"
#include "outrigger/devices/attribute.h"
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
  std::string uid;
};

/// Reads an object's metadata and what `spec` and `status` read of these. A name must be there.
template <typename Spec, typename Status>
absl::Status ReadKind(json::Object object, const Path& at, Metadata* metadata, const Spec& spec,
                      const Status& status) {
  const auto read = [metadata](Value value, const Path& place) {
    return json::ReadObject(value, place, Field{"name", &metadata->name},
                            Field{"namespace", &metadata->namespace_},
                            Field{"uid", &metadata->uid});
  };
  absl::Status done = json::ReadObject(object, at, Field{"metadata", read}, Field{"spec", spec},
                                       Field{"status", status});
  if (done.ok() && metadata->name.empty()) {
    return json::Invalid(at.Key("metadata").Key("name"), "is empty");
  }
  return done;
}

inline absl::Status Skip(Value value, const Path& at) {
  return json::SkipValue(value, at);
}

}  // namespace outrigger::device_objects
