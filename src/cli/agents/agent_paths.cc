#include "cli/agents/agents.h"
#include "cli/agents/null_observer.h"
#include "fmt/format.h"
#include "serve/engine/engine.h"

namespace outrigger::cli {
// Asks the engine that would serve the agent, so that what is listed is what answers.
absl::StatusOr<std::vector<AgentPath>> PathsOf(const AgentInfo& agent) {
  NobodyWatches observer;
  const auto engine =
      engine::Engine::Create({{&agent, agent.factory.settings.Defaults(), 1}}, &observer, nullptr);
  if (!engine.ok()) {
    return absl::InternalError(fmt::format("agent {} refuses its own defaults: {}", agent.name,
                                           std::string(engine.status().message())));
  }
  std::vector<AgentPath> paths;
  for (const engine::Endpoint& endpoint : (*engine)->endpoints()) {
    if (endpoint.agent != agent.name) continue;  // the merged paths belong to nobody
    paths.push_back({endpoint.path, std::string(engine::VerbName(endpoint.verb))});
  }
  return paths;
}

}  // namespace outrigger::cli
