#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// JSON as it comes: bytes with room behind them, and what could not be used of them.

namespace outrigger::json {

/// Readable bytes that must lie behind the end of every body.
inline constexpr size_t kPadding = 64;

/// A received body: `size` bytes at `data`, with at least kPadding readable (any content) behind.
struct Body {
  const char* data = nullptr;
  size_t size = 0;
};

/// A copy of a text with the bytes that the JSON parser may read after its end.
class Padded {
 public:
  explicit Padded(std::string_view json) : size_(json.size()) {
    text_.reserve(size_ + kPadding);
    text_.assign(json);
    text_.append(kPadding, ' ');
  }
  Body body() const { return {text_.data(), size_}; }

 private:
  size_t size_;
  std::string text_;
};

/// A value that could not be used and was treated as absent: a malformed quantity, or a taint or
/// toleration of an effect or operator that this program does not know.
struct MalformedValue {
  std::string node;   // empty: the pod
  std::string field;  // "status.allocatable.cpu"
  std::string value;  // the first 64 bytes
  std::string accepted;
};

/// No more than this many are listed per call.
inline constexpr size_t kMaxMalformed = 100;

}  // namespace outrigger::json
