#include "cli/version.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

}  // namespace

std::string_view Version() {
  return OUTRIGGER_VERSION;
}

std::string VersionText(const std::string& output, const std::vector<AgentInfo>& registry) {
  if (output != "json") return fmt::format("outrigger {}\n", Version());
  nlohmann::ordered_json json;
  json["version"] = Version();
  json["compiler"] = kCompiler;
  json["agents"] = nlohmann::ordered_json::array();
  for (const AgentInfo& agent : registry) json["agents"].push_back(agent.name);
  return json.dump(2) + "\n";
}

}  // namespace outrigger::cli
