#include "devices/commands/claims/pod_room.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "gang/plan/claims.h"
#include "gang/plan/nodes/shape.h"
#include "gang/plan/scheduler_checks.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/k8s/selector.h"
#include "outrigger/k8s/taint.h"

namespace outrigger::cli {
namespace {

using Refusal = plan::PodPairs::Refusal;

plan::Unit UnitOf(Pod pod, const ClaimTable* claims) {
  plan::Unit unit;
  unit.members.emplace_back().pod = std::make_shared<const Pod>(std::move(pod));
  if (claims != nullptr) plan::PinToClaims(*claims, std::span(&unit, 1));
  return unit;
}

std::string_view WordOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "";
    case Refusal::kHostPorts:
      return "a host port that it requests is in use";
    case Refusal::kSpread:
      return "its topology spread constraints do not allow it";
    case Refusal::kAffinity:
      return "its pod affinity is not met";
    case Refusal::kAntiAffinity:
      return "pod anti-affinity, of the pod or of a pod on the node";
  }
  return "";
}

}  // namespace

PodRoom::PodRoom(const std::shared_ptr<const cluster::Snapshot>& snapshot, const ClaimTable* claims,
                 Pod pod)
    : snapshot_(snapshot),
      unit_(UnitOf(std::move(pod), claims)),
      space_(std::make_shared<const plan::SchedulerChecks>()) {
  space_.Follow(snapshot);
  plan::ShapeTable shapes(&space_);
  shapes.Learn(std::span(&unit_, 1));
  shape_ = shapes.Of(unit_.members[0]);
}

std::string PodRoom::WhyNot(const std::string& node) const {
  const plan::Slot slot = space_.Find(node);
  const ClusterSnapshot& cluster = *snapshot_;
  const std::optional<NodeView> view = cluster.FindNode(node);
  if (slot == plan::kNoSlot || !view) return "there is no such node";
  if (!space_.MayTake(shape_, slot)) return WhyNoNode(view->node());
  if (!space_.HasRoom(shape_, slot)) return WhyNoResource(*view);
  return std::string(WordOf(space_.RefusalAt(shape_, slot)));
}

std::string PodRoom::WhyNotByHand() const {
  return unit_.has_open_claims
             ? "it has volumes or resource claims that kube-scheduler allocates with the binding"
             : "";
}

std::string PodRoom::WhyNoNode(const Node& node) const {
  const Pod& pod = *unit_.members[0].pod;
  if (node.unschedulable && !ToleratesCordon(pod.tolerations)) return "the node is cordoned";
  if (const Taint* taint = FindUntoleratedTaint(node.taints, pod.tolerations)) {
    return fmt::format("the pod does not tolerate the taint {}{}{}:{}", taint->key,
                       taint->value.empty() ? "" : "=", taint->value,
                       taint->effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule");
  }
  if (!MatchesNodeSelectorAndAffinity(pod, node)) {
    return "the pod's node selector or affinity leaves the node out";
  }
  return "volumes of the pod are on other nodes";
}

std::string PodRoom::WhyNoResource(const NodeView& node) const {
  ResourceList asked = PodRequests(*unit_.members[0].pod);
  asked.Set(kPods, Quantity::FromInt(1));
  std::string text;
  for (const auto& [name, amount] : asked) {
    const Quantity free = node.node().allocatable.Get(name) - node.Requested(name);
    if (amount <= free) continue;
    text += fmt::format("{}{}: {} requested, {} free", text.empty() ? "" : "; ", name,
                        amount.ToString(), std::max(free, Quantity()).ToString());
  }
  return text;
}

}  // namespace outrigger::cli
