#include "measured_nodes.h"

#include "fmt/format.h"

namespace outrigger::safe {
namespace {

constexpr double kBetweenLooks = 10;  // seconds

}  // namespace

void MeasuredNodes::Look(const NodeList& of_call, double now, IsMeasured is_measured) {
  double next = next_;
  if ((now < next && now > next - 2 * kBetweenLooks) ||
      !next_.compare_exchange_strong(next, now + kBetweenLooks)) {
    return;
  }
  bool is_any = false;
  if (cluster_ == nullptr) {
    if (of_call.size() < 2) return;
    for (const Node& node : of_call) is_any = is_any || is_measured(node);
    return Tell(of_call.size(), is_any);
  }
  const auto view = cluster_->Take();
  if (!view.ok()) return;
  view->snapshot->ForEachNode(
      [&](const NodeView& node) { is_any = is_any || is_measured(node.node()); });
  Tell(view->snapshot->NodeCount(), is_any);
}

void MeasuredNodes::Tell(size_t nodes, bool is_any) {
  metrics_->Set(kMetric, "", is_any ? 1 : 0);
  const bool is_none = !is_any && nodes > 0;
  if (is_warned_.exchange(is_none) || !is_none) return;
  warn_(fmt::format(
      "none of {} nodes has been measured: is `outrigger annotate usage` running? Until it is, no "
      "node is refused and all score alike (docs/load.md)",
      nodes));
}

}  // namespace outrigger::safe
