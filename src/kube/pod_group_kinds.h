#pragma once

#include <array>

#include "kube/resource.h"
#include "outrigger/k8s/pod_group.h"

namespace outrigger::kube {

/// The PodGroups of one dialect as the API server has them.
struct PodGroupKind {
  Dialect dialect = Dialect::kNone;
  Resource resource;
};

/// Of every dialect that has objects.
inline constexpr std::array<PodGroupKind, 4> kPodGroupKinds{{
    {Dialect::kSchedulerPlugins,
     {"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true}},
    {Dialect::kKoordinator, {"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", "PodGroup", true}},
    {Dialect::kVolcano, {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true}},
    {Dialect::kUpstream, {"scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup", true}},
}};

/// Null for a dialect without objects.
constexpr const Resource* PodGroupsOf(Dialect dialect) {
  for (const PodGroupKind& kind : kPodGroupKinds) {
    if (kind.dialect == dialect) return &kind.resource;
  }
  return nullptr;
}

}  // namespace outrigger::kube
