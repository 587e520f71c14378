#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "codec/json/body.h"
#include "codec/json/path.h"
#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/string_map.h"
#include "simdjson.h"

// Small readers over simdjson's On-Demand API, for declarative code such as
//
//     return ReadObject(value, at, Field{"key", &taint->key}, Field{"value", &taint->value});
//
// Every reader takes a value and where it stands, and returns InvalidArgument that names the place.
// A value is read once, in the order of the document. Nothing recurses on the depth of the input.

namespace outrigger::json {

static_assert(SIMDJSON_EXCEPTIONS == 0, "errors of simdjson are values here");
static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

using Value = simdjson::ondemand::value;
using Object = simdjson::ondemand::object;

/// Deeper nesting is refused, in what is skipped too: as Go's encoding/json does, so what is echoed
/// is never what the scheduler cannot read.
inline constexpr size_t kMaxDepth = 10'000;

/// "<path>: expected <what>, found <the value's type>".
absl::Status Expected(const Path& at, std::string_view what, Value value);
/// What simdjson's error means for the reader of a log.
absl::Status Broken(const Path& at, simdjson::error_code error);

/// The bytes of a scalar, or of the first token of an object or array, without blanks behind.
std::string_view Token(Value value);

/// True if `token` is a number of RFC 8259, of any size and precision.
bool IsNumber(std::string_view token);

/// True if `value` is null, which is then read.
absl::Status TakeNull(Value value, const Path& at, bool* is_null);

/// Steps over `value`, a string, without a look into it. A string must not be left for the loop
/// around to step over: where a colon follows, simdjson takes it for a key, and then brackets of
/// the body pair off wrongly.
absl::Status TakeString(Value value, const Path& at);

/// Checks what nobody reads, without reading it: brackets close in number and at the outside in
/// kind, nesting stays below kMaxDepth. Scalars, separators and inner kinds are not looked at.
absl::Status SkipValue(Value value, const Path& at);

using OnField = absl::FunctionRef<absl::Status(std::string_view key, Value value)>;
using OnElement = absl::FunctionRef<absl::Status(Value value, const Path& at)>;

/// Calls `on_field` for each field with its unescaped key (valid as long as the body and the
/// parser are). The callback reads the value or skips it.
absl::Status ForEachField(Object object, const Path& at, OnField on_field);
absl::Status ForEachField(Value value, const Path& at, OnField on_field);
absl::Status ForEachElement(Value value, const Path& at, OnElement on_element);

// Scalars, maps and lists. None takes null: that is for who knows what absence means.

/// A view into the body, or, of an escaped text, into the parser's memory.
absl::Status Read(Value value, const Path& at, std::string_view* text);
absl::Status Read(Value value, const Path& at, std::string* text);
absl::Status Read(Value value, const Path& at, bool* flag);
absl::Status Read(Value value, const Path& at, int32_t* number);
absl::Status Read(Value value, const Path& at, int64_t* number);
/// A point in time as Kubernetes writes it ("2026-01-15T08:00:00Z"), in seconds since 1970. One
/// that is malformed is 0, and listed.
absl::Status ReadTime(Value value, const Path& at, int64_t* seconds);
/// Reads a string or a number. `quantity` stays as it is where that is malformed, which is listed.
absl::Status ReadQuantity(Value value, const Path& at, std::optional<Quantity>* quantity);
/// In maps a null is the empty text (or zero) and the last of equal keys wins, as in Go.
absl::Status Read(Value value, const Path& at, StringMap* map);
/// Amounts are strings or numbers; malformed ones are left out and listed.
absl::Status Read(Value value, const Path& at, ResourceList* list);

/// The same as for other lists, for those of thousands of names.
absl::Status Read(Value value, const Path& at, std::vector<std::string_view>* texts);

/// Reads a list by the reader of its elements, a function (Value, const Path&, T*) -> Status. A
/// null element is an element in its default state, as in Go.
template <typename T, typename Reader>
absl::Status ReadList(Value value, const Path& at, std::vector<T>* list, Reader read) {
  list->clear();
  return ForEachElement(value, at, [&](Value element, const Path& place) {
    T& item = list->emplace_back();
    bool is_null = false;
    absl::Status status = TakeNull(element, place, &is_null);
    return is_null || !status.ok() ? status : read(element, place, &item);
  });
}

template <typename T>
absl::Status Read(Value value, const Path& at, std::vector<T>* list) {
  return ReadList(value, at, list, [](Value element, const Path& place, T* item) {
    return Read(element, place, item);
  });
}

template <typename T>
absl::Status Read(Value value, const Path& at, std::optional<T>* optional) {
  return Read(value, at, &optional->emplace());
}

/// A field to read: `target` is where Read() puts the value, or a function (Value, const Path&) ->
/// Status. A field that is not `wanted` is treated as one that nobody knows.
template <typename Target>
struct Field {
  std::string_view key;
  Target target;
  bool wanted = true;
};
template <typename Target>
Field(std::string_view, Target) -> Field<Target>;
template <typename Target>
Field(std::string_view, Target, bool) -> Field<Target>;

enum class KeyCase : uint8_t { kExact, kAny };

bool EqualsAnyCase(std::string_view a, std::string_view b);

/// Reads the value of a field into its target; null is absent.
template <typename Target>
absl::Status ReadField(Value value, const Path& at, const Target& target) {
  bool is_null = false;
  absl::Status status = TakeNull(value, at, &is_null);
  if (is_null || !status.ok()) return status;
  if constexpr (std::is_invocable_v<const Target&, Value, const Path&>) {
    return target(value, at);
  } else {
    return Read(value, at, target);
  }
}

/// Reads an object of known keys: the fields given, each at most once. For others `on_unknown`
/// (std::string_view key, const Path& place) -> Status is called; then they are skipped.
/// `object` is a Value or an Object.
template <KeyCase key_case, typename ObjectOrValue, typename OnUnknown, typename... Fields>
absl::Status ReadKnownFields(ObjectOrValue object, const Path& at, const OnUnknown& on_unknown,
                             const Fields&... fields) {
  static_assert(sizeof...(Fields) <= 32);
  uint32_t seen = 0;
  return ForEachField(object, at, [&](std::string_view key, Value value) {
    absl::Status status;
    uint32_t bit = 1;
    const auto take = [&](const auto& field) {
      const bool same =
          field.wanted &&
          (key_case == KeyCase::kExact ? key == field.key : EqualsAnyCase(key, field.key));
      if (!same) {
        bit <<= 1;
        return false;
      }
      const Path place = at.Key(field.key);
      status = (seen & bit) != 0 ? Invalid(place, "given twice, expected once")
                                 : ReadField(value, place, field.target);
      seen |= bit;
      return true;
    };
    const bool known = (take(fields) || ...);
    if (known) return status;
    const Path place = at.Key(key);
    status = on_unknown(key, place);
    return status.ok() ? SkipValue(value, place) : status;
  });
}

/// The same where other fields are skipped without a word.
template <KeyCase key_case = KeyCase::kExact, typename ObjectOrValue, typename... Fields>
absl::Status ReadObject(ObjectOrValue object, const Path& at, const Fields&... fields) {
  const auto skip = [](std::string_view, const Path&) { return absl::OkStatus(); };
  return ReadKnownFields<key_case>(object, at, skip, fields...);
}

}  // namespace outrigger::json
