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
  size_t measured = 0;
  if (cluster_ == nullptr) {
    for (const Node& node : of_call) measured += is_measured(node) ? 1 : 0;
    return Count(of_call.size(), measured);
  }
  const auto view = cluster_->Take();
  if (!view.ok()) return;
  view->snapshot->ForEachNode(
      [&](const NodeView& view) { measured += is_measured(view.node()) ? 1 : 0; });
  Count(view->snapshot->NodeCount(), measured);
}

void MeasuredNodes::Count(size_t nodes, size_t measured) {
  metrics_->Set(kMetric, "", static_cast<double>(measured));
  const bool is_none = measured == 0 && nodes > 0;
  if (is_warned_.exchange(is_none) || !is_none) return;
  warn_(fmt::format(
      "none of {} nodes has been measured: is `outrigger annotate usage` running? Until it is, no "
      "node is refused and all score alike (docs/load.md)",
      nodes));
}

}  // namespace outrigger::safe
