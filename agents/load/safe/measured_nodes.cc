#include "measured_nodes.h"

#include <utility>

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
    return Tell(nullptr, of_call.size(), is_any);
  }
  const auto view = cluster_->Take();
  if (!view.ok()) return;
  view->snapshot->ForEachNode(
      [&](const NodeView& node) { is_any = is_any || is_measured(node.node()); });
  Tell(view->snapshot.get(), view->snapshot->NodeCount(), is_any);
}

void MeasuredNodes::Tell(const ClusterSnapshot* snapshot, size_t nodes, bool is_any) {
  metrics_->Set(kMetric, "", is_any ? 1 : 0);
  const bool is_none = !is_any && nodes > 0;
  if (is_warned_.exchange(is_none) || !is_none) return;
  std::string note = fmt::format(
      "none of {} nodes has been measured: is `outrigger annotate usage` running? Until it is, no "
      "node is refused and all score alike (docs/load.md)",
      nodes);
  warn_(note);
  if (snapshot != nullptr && !own_pod_.empty()) Record(*snapshot, std::move(note));
}

void MeasuredNodes::Record(const ClusterSnapshot& snapshot, std::string note) {
  snapshot.ForEachPod([&](const PodView& pod) {
    if (pod.Name() != own_pod_ || pod.IsFinished()) return;
    cluster_->Record({.namespace_ = std::string(pod.Namespace()),
                      .name = own_pod_,
                      .uid = std::string(pod.Uid()),
                      .warning = true,
                      .reason = "NothingMeasured",
                      .action = "Scheduling",
                      .note = note});
  });
}

}  // namespace outrigger::safe
