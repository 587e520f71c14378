#include "lab/framework/cluster_event.h"

#include <algorithm>

#include "outrigger/k8s/taint.h"

namespace outrigger::lab {
namespace {

bool SameTaint(const Taint& a, const Taint& b) {
  return a.key == b.key && a.value == b.value && a.effect == b.effect;
}

void AddIf(bool changed, ClusterEvent::Resource resource, ClusterEvent::Action action,
           std::vector<ClusterEvent>* changes) {
  if (changed) changes->push_back({resource, action});
}

}  // namespace

std::vector<ClusterEvent> ChangesOf(const Node& before, const Node& after) {
  constexpr auto kNode = ClusterEvent::Resource::kNode;
  // A cordon is as good as a taint; one that is set helps no pod.
  const bool uncordoned = before.unschedulable && !after.unschedulable;
  const bool tainted = !std::ranges::equal(before.taints, after.taints, SameTaint);
  std::vector<ClusterEvent> changes;
  AddIf(before.allocatable != after.allocatable, kNode, ClusterEvent::kUpdateAllocatable, &changes);
  AddIf(before.labels != after.labels, kNode, ClusterEvent::kUpdateNodeLabel, &changes);
  AddIf(uncordoned || tainted, kNode, ClusterEvent::kUpdateNodeTaint, &changes);
  AddIf(before.annotations != after.annotations, kNode, ClusterEvent::kUpdateNodeAnnotation,
        &changes);
  return changes;
}

std::vector<ClusterEvent> ChangesOf(const Pod& before, const Pod& after) {
  constexpr auto kPod = ClusterEvent::Resource::kUnscheduledPod;
  const bool ungated = !before.scheduling_gates.empty() && after.scheduling_gates.empty();
  // The API server lets tolerations be added, neither changed nor taken away.
  const bool tolerates_more = before.tolerations.size() != after.tolerations.size();
  std::vector<ClusterEvent> changes;
  AddIf(before.labels != after.labels, kPod, ClusterEvent::kUpdatePodLabel, &changes);
  AddIf(ungated, kPod, ClusterEvent::kUpdatePodSchedulingGates, &changes);
  AddIf(tolerates_more, kPod, ClusterEvent::kUpdatePodToleration, &changes);
  return changes;
}

}  // namespace outrigger::lab
