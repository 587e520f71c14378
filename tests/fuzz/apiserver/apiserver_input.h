#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/json.h"
#include "apiserver/types/body.h"

namespace outrigger::fuzz {

/// Takes the first line of `rest`, without its end.
inline std::string_view TakeLine(std::string_view* rest) {
  const std::string_view line = rest->substr(0, rest->find('\n'));
  rest->remove_prefix(line.size() < rest->size() ? line.size() + 1 : line.size());
  return line;
}

/// JSON as deep as a body may be; nullopt: it is not that.
inline std::optional<apiserver::Json> ParseBounded(std::string_view text) {
  apiserver::Json value;
  std::vector<std::string> duplicates;
  if (apiserver::ParseBody(text, "Pod", &value, &duplicates)) return std::nullopt;
  return value;
}

}  // namespace outrigger::fuzz
