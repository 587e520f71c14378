#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace outrigger::cel {

namespace concat_internal {
inline void AppendOne(std::string& out, std::string_view text) {
  out += text;
}
inline void AppendOne(std::string& out, std::integral auto number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}
}  // namespace concat_internal

/// Appends texts and whole numbers to `out`.
template <typename... Parts>
void Append(std::string& out, const Parts&... parts) {
  (concat_internal::AppendOne(out, parts), ...);
}

/// Texts and whole numbers, one after the other.
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string out;
  Append(out, parts...);
  return out;
}

/// The parts of `text` between separators, at most `most` of them: the last one has what is left.
inline std::vector<std::string_view> Split(std::string_view text, char separator,
                                           size_t most = SIZE_MAX) {
  std::vector<std::string_view> parts;
  for (size_t at = text.find(separator); at != std::string_view::npos && parts.size() + 1 < most;
       at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// `text` with each `old` replaced.
inline std::string Replaced(std::string_view text, std::string_view old, std::string_view by) {
  std::string out;
  for (size_t at = text.find(old); at != std::string_view::npos; at = text.find(old)) {
    Append(out, text.substr(0, at), by);
    text.remove_prefix(at + old.size());
  }
  return out.append(text);
}

}  // namespace outrigger::cel
