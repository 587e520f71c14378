#pragma once

#include <memory>
#include <string>

#include "cluster/snapshot.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/claims.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::cli {

/// On which nodes kube-scheduler's own filters, and so the kubelet, would take a pod: cordons,
/// taints, selectors, resources, ports, other pods, volumes. Not thread-safe.
class PodRoom {
 public:
  /// `claims` are volumes and DRA claims; null: they are not known.
  PodRoom(const std::shared_ptr<const cluster::Snapshot>& snapshot, const ClaimTable* claims,
          Pod pod);

  /// Why the pod may not go to that node: "cpu: 3 asked, 1 free"; empty: it may.
  std::string WhyNot(const std::string& node) const;
  /// Why kube-scheduler alone can bind the pod; empty: others can.
  std::string WhyNotByHand() const;

 private:
  std::string WhyNoNode(const Node& node) const;
  std::string WhyNoResource(const NodeView& node) const;

  const std::shared_ptr<const cluster::Snapshot> snapshot_;
  plan::Unit unit_;  // of the pod alone
  plan::NodeSpace space_;
  plan::ShapeIndex shape_ = 0;
};

}  // namespace outrigger::cli
