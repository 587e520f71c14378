#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace outrigger::plan {

/// All of `text` as a decimal integer of 64 bits, without blanks and without a plus sign.
inline std::optional<int64_t> IntegerOf(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace outrigger::plan
