#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/path.h"
#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/string_map.h"

// Small readers of protobuf messages, for declarative code such as
//
//     return ReadMessage(bytes, at, Field{1, "key", &taint->key}, Field{2, "value",
//     &taint->value});
//
// Every reader takes bytes and where they stand (in the names of the JSON form), and returns
// InvalidArgument that names the place. As in protobuf, and as Go's generated Unmarshal does: a
// field may come again; of a scalar the last one wins, a message is merged with the one before, and
// lists and maps grow. Nothing recurses on the depth of the input.

namespace outrigger::protobuf {

using json::Path;

/// The bytes of a message or of another field that has a length.
using Bytes = std::string_view;

/// Groups, which ended before Kubernetes began, are not read.
enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// A field as it stands in the bytes. Of `varint` and `bytes` the one that `type` names is set.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t varint = 0;
  Bytes bytes;
};

/// Walks over the fields of one message. Never reads outside of it, and steps over what is nested
/// without a look into it. Does not own the bytes.
class Cursor {
 public:
  explicit Cursor(Bytes message) : next_(message.data()), end_(message.data() + message.size()) {}

  /// Reads the next field. False at the end of the message, and where the bytes are broken.
  bool Next(WireField* field);

  /// OK unless Next() found broken bytes: then InvalidArgument "<at>: broken protobuf: ...".
  absl::Status status(const Path& at) const;

 private:
  bool Take(uint64_t size, Bytes* bytes);
  bool Break(const char* why);

  const char* next_;
  const char* end_;
  const char* broken_ = nullptr;
};

/// "<at>: broken protobuf: <why>".
absl::Status Broken(const Path& at, std::string_view why);

/// InvalidArgument unless `text` is UTF-8.
absl::Status CheckText(std::string_view text, const Path& at);

/// Keeps a text. An API server takes texts that are not UTF-8 from clients that speak protobuf, and
/// writes their JSON with U+FFFD for each byte that is off: so they read here, or whoever may
/// annotate a pod could end the following of all.
void Keep(std::string_view text, std::string* out);

// Scalars.

/// A view into the bytes. What is not UTF-8 is refused: for names and words that the server checks.
absl::Status Read(const WireField& field, const Path& at, std::string_view* text);
absl::Status Read(const WireField& field, const Path& at, std::string* text);
absl::Status Read(const WireField& field, const Path& at, bool* flag);
/// The low 32 bits, as in Go.
absl::Status Read(const WireField& field, const Path& at, int32_t* number);
absl::Status Read(const WireField& field, const Path& at, int64_t* number);

// One element of a repeated field, or one entry of a map. Maps want Normalize() before they are
// read: once and at the end of the whole object or element, since a message that comes in many
// parts would order its map for each of them.

absl::Status Read(const WireField& field, const Path& at, std::vector<std::string>* list);
absl::Status Read(const WireField& field, const Path& at, StringMap* map);
/// Malformed amounts are left out and listed.
absl::Status Read(const WireField& field, const Path& at, ResourceList* list);

/// What may be absent, and is there with its first value.
template <typename T>
absl::Status Read(const WireField& field, const Path& at, std::optional<T>* optional) {
  if (!optional->has_value()) optional->emplace();
  return Read(field, at, &**optional);
}

/// An entry of a map of texts. Its value is not checked for UTF-8.
struct TextEntry {
  std::string_view key;
  std::string_view value;
};
absl::Status ReadEntry(Bytes bytes, const Path& at, TextEntry* entry);
/// Appends `entry`, its value as the other Keep() takes it.
void Keep(const TextEntry& entry, StringMap* map);

/// metav1.Time in seconds since 1970; nothing for the zero time. One that JSON cannot say is 0, and
/// listed as malformed.
absl::Status ReadTime(Bytes bytes, const Path& at, std::optional<int64_t>* seconds);

/// InvalidArgument unless `field` has bytes.
absl::Status CheckBytes(const WireField& field, const Path& at);

/// A field to read: `target` is where Read() puts the value, or a function (Bytes, const Path&) ->
/// Status for messages. A field that is not `wanted` is treated as one that nobody knows. `name` is
/// that of the JSON form.
template <typename Target>
struct Field {
  uint32_t number;
  std::string_view name;
  Target target;
  bool wanted = true;
};
template <typename Target>
Field(uint32_t, std::string_view, Target) -> Field<Target>;
template <typename Target>
Field(uint32_t, std::string_view, Target, bool) -> Field<Target>;

template <typename Target>
absl::Status ReadField(const WireField& wire, const Path& at, const Target& target) {
  if constexpr (std::is_invocable_v<const Target&, Bytes, const Path&>) {
    absl::Status status = CheckBytes(wire, at);
    return status.ok() ? target(wire.bytes, at) : status;
  } else {
    return Read(wire, at, target);
  }
}

/// Reads the fields given of the message `bytes`; others are stepped over.
template <typename... Fields>
absl::Status ReadMessage(Bytes bytes, const Path& at, const Fields&... fields) {
  Cursor cursor(bytes);
  WireField wire;
  while (cursor.Next(&wire)) {
    absl::Status status;
    const auto take = [&](const auto& field) {
      if (field.number != wire.number || !field.wanted) return false;
      status = ReadField(wire, at.Key(field.name), field.target);
      return true;
    };
    const bool known = (take(fields) || ...);
    if (known && !status.ok()) return status;
  }
  return cursor.status(at);
}

// Targets of fields that are messages. `read` is a function (Bytes, const Path&, T*) -> Status.

/// A message that is always there.
template <typename T, typename ReadIt>
auto Into(T* message, ReadIt read) {
  return [message, read](Bytes bytes, const Path& at) { return read(bytes, at, message); };
}

/// A message that may be absent.
template <typename T, typename ReadIt>
auto Into(std::optional<T>* message, ReadIt read) {
  return [message, read](Bytes bytes, const Path& at) {
    if (!message->has_value()) message->emplace();
    return read(bytes, at, &**message);
  };
}

/// One message of a list.
template <typename T, typename ReadIt>
auto Into(std::vector<T>* list, ReadIt read) {
  return [list, read](Bytes bytes, const Path& at) {
    const size_t index = list->size();
    return read(bytes, at.Index(index), &list->emplace_back());
  };
}

/// One message of a list of which not all are kept: `count` counts all, `read` is a function
/// (Bytes, const Path&) -> Status.
template <typename ReadIt>
auto Counted(size_t* count, ReadIt read) {
  return [count, read](Bytes bytes, const Path& at) { return read(bytes, at.Index((*count)++)); };
}

/// Free text, which may not be UTF-8; see Keep().
inline auto Kept(std::string* target) {
  return [target](Bytes bytes, const Path& /*at*/) {
    Keep(bytes, target);
    return absl::OkStatus();
  };
}

/// A time; 0 where there is none.
inline auto IntoTime(int64_t* seconds) {
  return [seconds](Bytes bytes, const Path& at) {
    std::optional<int64_t> read;
    absl::Status status = ReadTime(bytes, at, &read);
    *seconds = read.value_or(0);
    return status;
  };
}

/// Bytes that are no text.
inline auto Raw(std::string_view* target) {
  return [target](Bytes bytes, const Path& /*at*/) {
    *target = bytes;
    return absl::OkStatus();
  };
}

}  // namespace outrigger::protobuf
