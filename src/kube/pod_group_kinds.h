#pragma once

#include <array>
#include <span>
#include <string_view>

#include "kube/resource.h"
#include "outrigger/k8s/pod_group.h"

namespace outrigger::kube {

/// The PodGroups of one dialect as the API server has them.
struct PodGroupKind {
  Dialect dialect = Dialect::kNone;
  Resource resource;  // in the newest version that is known
  /// All versions that can be read, the newest first.
  std::span<const std::string_view> versions;
};

inline constexpr std::array<std::string_view, 1> kV1Alpha1{"v1alpha1"};
inline constexpr std::array<std::string_view, 1> kV1Beta1{"v1beta1"};
/// Kubernetes 1.37 serves the first two, 1.36 the last.
inline constexpr std::array<std::string_view, 3> kUpstreamVersions{"v1beta1", "v1alpha3",
                                                                   "v1alpha2"};

/// Of every dialect that has objects.
inline constexpr std::array<PodGroupKind, 4> kPodGroupKinds{{
    {Dialect::kSchedulerPlugins,
     {"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true},
     kV1Alpha1},
    {Dialect::kKoordinator,
     {"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", "PodGroup", true},
     kV1Alpha1},
    {Dialect::kVolcano,
     {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true},
     kV1Beta1},
    {Dialect::kUpstream,
     {"scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup", true},
     kUpstreamVersions},
}};

/// Null for a dialect without objects.
constexpr const Resource* PodGroupsOf(Dialect dialect) {
  for (const PodGroupKind& kind : kPodGroupKinds) {
    if (kind.dialect == dialect) return &kind.resource;
  }
  return nullptr;
}

}  // namespace outrigger::kube
