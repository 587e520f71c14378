#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace outrigger {

/// Environment variables by name, handed in from above: nothing here reads the process's own.
using Environment = std::map<std::string, std::string, std::less<>>;

/// The variable's value, or "".
inline std::string_view ValueOf(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

/// Takes what an operator should know, in a line; may be null. Called from any thread.
using Warn = std::function<void(const std::string&)>;

}  // namespace outrigger
