#include "engine/call.h"
#include "engine/node_table.h"
#include "fmt/format.h"

namespace outrigger::engine {

CallError ResolveNodes(const Plan& plan, const NodeSource* source, Observer* observer,
                       CallState* state) {
  const bool look_up = !state->args.has_full_nodes && plan.needs.AnyOfNode();
  if (look_up && source == nullptr) {
    return {ErrorKind::kUnanswerable,
            fmt::format("{} reads more of a node than its name, and this call carries names only: "
                        "let it watch the cluster (--kubeconfig FILE, or in a pod), or set "
                        "nodeCacheCapable: false for this extender (outrigger scheduler-config "
                        "--full-nodes)",
                        plan.endpoint.agent)};
  }
  state->nodes.clear();
  state->nodes.reserve(state->args.nodes.size());
  size_t unknown = 0;
  if (look_up) {
    auto view = source->Pin();
    if (!view.ok()) {
      return {ErrorKind::kUnanswerable,
              fmt::format("{}: {}", plan.endpoint.agent, std::string(view.status().message()))};
    }
    state->view = *std::move(view);
  }
  for (const Node& node : state->args.nodes) {
    const Node* known = look_up ? state->view->Find(node.name) : &node;
    if (known == nullptr) {
      ++unknown;
      known = &node;  // name only, and says so
    }
    state->nodes.push_back(known);
  }
  if (unknown > 0) observer->OnUnknownNodes(plan.endpoint.agent, unknown);
  return {};
}

}  // namespace outrigger::engine
