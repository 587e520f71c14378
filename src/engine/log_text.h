#pragma once

#include <string>
#include <string_view>

#include "fmt/format.h"

namespace outrigger::engine {

/// Text from a client as it may stand in a log line: in quotes where it is anything but a plain
/// word, control characters and invalid UTF-8 escaped, cut to 128 bytes.
inline std::string ForLog(std::string_view text) {
  constexpr size_t kMost = 128;
  const bool cut = text.size() > kMost;
  text = text.substr(0, kMost);
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
  std::string out = plain ? std::string(text) : fmt::format("{:?}", text);
  if (cut) out += "...";
  return out;
}

}  // namespace outrigger::engine
