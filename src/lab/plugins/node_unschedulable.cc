#include "lab/plugins/node_unschedulable.h"

#include <algorithm>

#include "outrigger/k8s/taint.h"

namespace outrigger::lab {
namespace {

// What a cordoned node means to pods, written as a taint.
const Taint& CordonedTaint() {
  static const auto* const kTaint =
      new Taint{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  return *kTaint;
}

}  // namespace

PluginStatus NodeUnschedulable::Filter(CycleState& /*state*/, const Pod& pod, const Node& node) {
  if (!node.unschedulable) return PluginStatus::Success();
  const bool tolerated = std::any_of(
      pod.tolerations.begin(), pod.tolerations.end(),
      [](const Toleration& toleration) { return toleration.Tolerates(CordonedTaint()); });
  if (tolerated) return PluginStatus::Success();
  return PluginStatus::Unschedulable("node(s) were unschedulable");
}

std::vector<ClusterEvent> NodeUnschedulable::EventsToRegister() const {
  using Resource = ClusterEvent::Resource;
  return {{Resource::kNode, ClusterEvent::kAdd | ClusterEvent::kUpdateNodeTaint},
          {Resource::kUnscheduledPod, ClusterEvent::kUpdatePodToleration}};
}

}  // namespace outrigger::lab
