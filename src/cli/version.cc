#include "cli/version.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "serve/server/version.h"

namespace outrigger::cli {

std::string VersionText(const std::string& output, const std::vector<AgentInfo>& registry) {
  if (output != "json") return fmt::format("outrigger {}\n", server::GetVersion().version);
  nlohmann::ordered_json json;
  json["version"] = server::GetVersion().version;
  json["compiler"] = server::GetVersion().compiler;
  json["agents"] = nlohmann::ordered_json::array();
  for (const AgentInfo& agent : registry) json["agents"].push_back(agent.name);
  return json.dump(2) + "\n";
}

}  // namespace outrigger::cli
