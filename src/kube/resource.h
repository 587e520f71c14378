#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "sdk/base/dialects.h"

namespace outrigger::kube {

/// A kind of objects as the API server's paths name it.
struct Resource {
  std::string_view group;    // "" for the core group
  std::string_view version;  // "v1"
  std::string_view plural;   // "pods"
  std::string_view kind;     // "Pod"
  bool namespaced = false;
};

inline constexpr Resource kNodes{"", "v1", "nodes", "Node", false};
inline constexpr Resource kPods{"", "v1", "pods", "Pod", true};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline constexpr Resource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses",
                                           "PriorityClass", false};
inline constexpr Resource kDisruptionBudgets{"policy", "v1", "poddisruptionbudgets",
                                             "PodDisruptionBudget", true};
inline constexpr Resource kVolumes{"", "v1", "persistentvolumes", "PersistentVolume", false};
inline constexpr Resource kVolumeClaims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim",
                                        true};
inline constexpr Resource kStorageClasses{"storage.k8s.io", "v1", "storageclasses", "StorageClass",
                                          false};
/// Of Kubernetes 1.34 and later.
inline constexpr Resource kDeviceClaims{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim",
                                        true};
inline constexpr Resource kDeviceClasses{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass",
                                         false};
inline constexpr Resource kDeviceSlices{"resource.k8s.io", "v1", "resourceslices", "ResourceSlice",
                                        false};
inline constexpr Resource kDeviceClaimTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                                "ResourceClaimTemplate", true};
inline constexpr Resource kDeviceTaintRules{"resource.k8s.io", "v1", "devicetaintrules",
                                            "DeviceTaintRule", false};
inline constexpr Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};
inline constexpr Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline constexpr Resource kEvents{"events.k8s.io", "v1", "events", "Event", true};

/// "nodes", "podgroups.scheduling.x-k8s.io": what kubectl calls the kind; unambiguous.
std::string NameOf(const Resource& resource);

/// "v1", "scheduling.x-k8s.io/v1alpha1": what objects of the kind have as their apiVersion.
std::string ApiVersionOf(const Resource& resource);

/// "/api/v1/nodes", "/api/v1/namespaces/shop/pods/web-1/binding". An empty `namespace_` means all
/// namespaces, empty `name` the collection; every part is escaped.
std::string PathOf(const Resource& resource, std::string_view namespace_ = {},
                   std::string_view name = {}, std::string_view subresource = {});

/// The PodGroups of one dialect as the API server has them.
struct PodGroupKind {
  Dialect dialect = Dialect::kNone;
  Resource resource;  // in the newest version that is known
  /// All versions that can be read, the newest first.
  std::span<const std::string_view> versions;
};

/// Of every dialect that has objects.
inline constexpr auto kPodGroupKinds = [] {
  std::array<PodGroupKind, 4> kinds;
  size_t at = 0;
  for (const DialectRow& row : kDialects) {
    if (row.group.empty()) continue;
    kinds[at++] = {
        row.dialect, {row.group, row.versions[0], "podgroups", "PodGroup", true}, row.versions};
  }
  return kinds;
}();
static_assert(kPodGroupKinds.back().dialect == kDialects.back().dialect);

/// Null for a dialect without objects.
constexpr const Resource* PodGroupsOf(Dialect dialect) {
  for (const PodGroupKind& kind : kPodGroupKinds) {
    if (kind.dialect == dialect) return &kind.resource;
  }
  return nullptr;
}

}  // namespace outrigger::kube
