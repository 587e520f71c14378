#include "engine/call.h"
#include "engine/node_table.h"
#include "fmt/format.h"

namespace outrigger::engine {
namespace {

// Returns how many nodes the view does not know: those stay names, and say so.
size_t LookUp(const NodeView& view, CallState* state) {
  const std::vector<Node>& asked = state->args.nodes;
  state->names.assign(asked.size(), {});
  for (size_t i = 0; i < asked.size(); ++i) state->names[i] = asked[i].name;
  state->nodes.resize(asked.size());
  view.FindAll(state->names, state->nodes);
  size_t unknown = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (state->nodes[i] != nullptr) continue;
    state->nodes[i] = &asked[i];
    ++unknown;
  }
  return unknown;
}

}  // namespace

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
  if (!look_up) {
    state->nodes.clear();
    for (const Node& node : state->args.nodes) state->nodes.push_back(&node);
    return {};
  }
  auto view = source->Pin();
  if (!view.ok()) {
    return {ErrorKind::kUnanswerable,
            fmt::format("{}: {}", plan.endpoint.agent, std::string(view.status().message()))};
  }
  state->view = *std::move(view);
  const size_t unknown = LookUp(*state->view, state);
  if (unknown > 0) observer->OnUnknownNodes(plan.endpoint.agent, unknown);
  return {};
}

}  // namespace outrigger::engine
