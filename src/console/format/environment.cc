#include "console/format/environment.h"

#include <regex>
#include <string_view>

namespace outrigger::cli {

Environment ReadEnvironment(const char* const* variables) {
  Environment environment;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view entry(*variables);
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

const std::string* Find(const Environment& environment, const std::string& name) {
  const auto it = environment.find(name);
  return it == environment.end() ? nullptr : &it->second;
}

bool IsServiceLink(const std::string& name, const std::string& value) {
  static const std::regex address_name(".*_PORT");
  static const std::regex address(R"((tcp|udp|sctp)://.*)");
  static const std::regex part(
      ".*_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|"
      ".*_PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");
  if (std::regex_match(name, part)) return true;
  return std::regex_match(name, address_name) && std::regex_match(value, address);
}

}  // namespace outrigger::cli
