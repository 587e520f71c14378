#include "cli/serve/no_nodes.h"

#include "console/format/text.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// The engine has made its agents already, and knows only what all of them read together.
bool ReadsNodes(const engine::ServedAgent& served) {
  AgentDeps deps;
  deps.name = served.info->name;
  deps.log = deps.warn = [](std::string_view /*line*/) {};  // the served one says it
  const auto made = served.info->factory.make(deps, served.settings);
  return made.ok() && (*made)->Reads().AnyOfNode();
}

std::string Advice(const ClusterOptions& cluster, bool in_pod) {
  if (cluster.watch) return "Give --kubeconfig FILE";
  const bool has_way = in_pod || cluster.HasKubeconfig();
  return has_way ? "Leave out --watch=false" : "Leave out --watch=false and give --kubeconfig FILE";
}

}  // namespace

std::string NoNodesWarning(const std::vector<engine::ServedAgent>& agents,
                           const ClusterOptions& cluster, bool in_pod) {
  std::vector<std::string> names;
  for (const engine::ServedAgent& agent : agents) {
    if (agent.TakesCalls() && ReadsNodes(agent)) names.push_back(agent.info->name);
  }
  if (names.empty()) return "";
  return fmt::format(
      "{} {} more of nodes than names, but no cluster is watched: calls that carry only node "
      "names, the default of scheduler-config, get an error. {}, or let the scheduler send whole "
      "nodes (outrigger scheduler-config --full-nodes)",
      Listed(names), names.size() == 1 ? "reads" : "read", Advice(cluster, in_pod));
}

}  // namespace outrigger::cli
