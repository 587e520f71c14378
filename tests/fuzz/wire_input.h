#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"
#include "serve/wire/extender.h"

// What the fuzzers of wire decoding share: a body with its padding, and nlohmann::json as a second
// opinion on what the bytes say.

namespace outrigger::fuzz {

/// An input as a body with `padding` behind it. The memory is of the exact size, so that a
/// sanitizer sees who reads behind the padding.
class Input {
 public:
  Input(std::string_view bytes, char padding) : size_(bytes.size()) {
    memory_.reserve(bytes.size() + wire::kPadding);
    memory_.assign(bytes.begin(), bytes.end());
    memory_.insert(memory_.end(), wire::kPadding, padding);
  }
  wire::Body body() const { return {memory_.data(), size_}; }
  std::string_view bytes() const { return {memory_.data(), size_}; }

 private:
  size_t size_;
  std::vector<char> memory_;
};

inline std::string_view Text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// `bytes` up to the end of its object: without the last bracket a body is never complete.
std::string_view WithoutLastBracket(std::string_view bytes);

/// Whether as many brackets open as close, outside of strings. As to simdjson, a backslash takes
/// the next byte with it anywhere.
bool IsBalanced(std::string_view bytes);

/// What nlohmann reads; is_discarded() where it refuses the bytes.
nlohmann::json Parsed(std::string_view bytes);

/// The value of `key`, in any case, of an object; null where there is none.
const nlohmann::json& AnyCase(const nlohmann::json& object, std::string_view key);
/// The value of `key`; null where `object` is none or has no such key.
const nlohmann::json& Exact(const nlohmann::json& object, std::string_view key);
/// A string's text; empty for null.
std::string TextOf(const nlohmann::json& value);

/// Requires the codes of the contract: OK, InvalidArgument or FailedPrecondition, and a text that
/// says why, of a bounded length.
void CheckStatus(const absl::Status& status);

/// Requires of what a call comes to, if less of it is read than in `all`: what is skipped is
/// checked less, never more, and a call that has no answer has none whatever is read of it, unless
/// that is broken as well. True if both are OK, so that what they say can be compared.
bool BothAccept(const absl::Status& fewer, const absl::Status& all);

/// Requires that no bytes of the padding came into the message: they may be of an earlier call.
void CheckTellsNothingOf(char padding, std::string_view bytes, const absl::Status& status);

/// Requires what must hold whatever the needs are: bytes that lie behind the body change neither
/// the outcome nor show in it, brackets pair off, and no body is complete without its last one.
/// `decode` takes a body and returns a status.
template <typename Decode>
void CheckPaddingAndEnd(std::string_view bytes, const absl::Status& status, Decode decode);

/// The field `Error` of an answer that has one.
std::string ErrorOf(const std::string& answer);

}  // namespace outrigger::fuzz

#include "check.h"

namespace outrigger::fuzz {

template <typename Decode>
void CheckPaddingAndEnd(std::string_view bytes, const absl::Status& status, Decode decode) {
  // Bytes that would end an open body, if anybody took them for part of it, or go on in a number.
  for (const char padding : {'}', ']', '"', '7'}) {
    const Input input(bytes, padding);
    const absl::Status again = decode(input.body());
    OUTRIGGER_REQUIRE(again.code() == status.code());
    CheckTellsNothingOf(padding, bytes, again);
  }
  if (status.code() != absl::StatusCode::kInvalidArgument) OUTRIGGER_REQUIRE(IsBalanced(bytes));
  if (!status.ok()) return;
  const Input cut(WithoutLastBracket(bytes), '}');
  OUTRIGGER_REQUIRE(decode(cut.body()).code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace outrigger::fuzz
