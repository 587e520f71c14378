#include <algorithm>

#include "fmt/format.h"
#include "serve/engine/call.h"
#include "serve/engine/node_table.h"

namespace outrigger::engine {
namespace {

// The nodes that are still missing are names and nothing else. Returns how many that are.
size_t FillBare(CallState* state) {
  const auto missing =
      static_cast<size_t>(std::count_if(state->nodes.begin(), state->nodes.end(),
                                        [](const NodeRef& node) { return node.node == nullptr; }));
  if (state->bare.size() < missing) state->bare.resize(missing);
  auto next = state->bare.begin();
  for (size_t i = 0; i < state->nodes.size(); ++i) {
    if (state->nodes[i].node != nullptr) continue;
    next->known = false;
    next->name = state->args.names[i];
    state->nodes[i] = NodeRef(*next++);
  }
  return missing;
}

}  // namespace

CallError FromDecoding(const absl::Status& status) {
  const ErrorKind kind = status.code() == absl::StatusCode::kFailedPrecondition
                             ? ErrorKind::kUnanswerable
                             : ErrorKind::kBadRequest;
  return {kind, std::string(status.message())};
}

CallError ResolveNodes(const Pipeline& pipeline, const NodeSource* source, Observer* observer,
                       CallState* state) {
  const bool look_up = !state->args.has_full_nodes && pipeline.needs.AnyOfNode();
  if (look_up && source == nullptr) {
    return {ErrorKind::kUnanswerable,
            fmt::format(
                "{} needs more of a node than its name, but this call carries only names: let it "
                "watch the cluster (--kubeconfig FILE, or in a pod), or set nodeCacheCapable: "
                "false for this extender (outrigger scheduler-config --full-nodes)",
                pipeline.endpoint.Title())};
  }
  state->nodes.assign(state->args.names.size(), {});
  if (!look_up) {
    const absl::Status differ = wire::CheckNodeNames(state->args);
    if (!differ.ok()) return FromDecoding(differ);
    for (size_t i = 0; i < state->args.nodes.size(); ++i) {
      state->nodes[i] = NodeRef(state->args.nodes[i]);
    }
    FillBare(state);
    return {};
  }
  auto view = source->Pin();
  if (!view.ok()) {
    return {ErrorKind::kUnanswerable,
            fmt::format("{}: {}", pipeline.endpoint.Title(), std::string(view.status().message()))};
  }
  state->view = *std::move(view);
  const bool known_differ = state->view->FindAll(state->args.names, state->nodes);
  const size_t unknown = FillBare(state);
  if (unknown == 0 && known_differ) return {};
  const absl::Status differ = wire::CheckNodeNames(state->args);
  if (!differ.ok()) return FromDecoding(differ);
  observer->OnUnknownNodes(pipeline.endpoint.agent, unknown);
  return {};
}

}  // namespace outrigger::engine
