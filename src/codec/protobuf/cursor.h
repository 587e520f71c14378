#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "codec/json/path.h"

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

}  // namespace outrigger::protobuf
