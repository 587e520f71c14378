#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "gang/plan/pairs/pod_pairs.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::plan {

/// What PodPairs answers, worked out from labels each time: upstream's filters read aloud, with
/// nothing remembered.
struct PairsReference {
  std::vector<std::optional<Node>> nodes;
  std::vector<std::pair<size_t, Pod>> pods;  // with their slots

  PodPairs::Refusal Check(const Pod& pod, size_t slot) const;

 private:
  bool PortsFree(const Pod& pod, size_t slot) const;
  bool Spreads(const Pod& pod, const TopologySpreadConstraint& constraint, size_t slot) const;
  bool Counts(const Pod& pod, const TopologySpreadConstraint& constraint, const Node& node) const;
  bool IsNear(const Pod& pod, size_t slot) const;
  bool IsApart(const Pod& pod, size_t slot) const;
  /// True if both nodes have the label, with one value.
  bool SameDomain(size_t a, size_t b, const std::string& key) const;
};

}  // namespace outrigger::plan
