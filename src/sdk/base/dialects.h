#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "outrigger/k8s/pod_group.h"

namespace outrigger {

/// Where a pod names its group.
enum class MarkerPlace : uint8_t { kNone, kPair, kLabel, kAnnotation, kField };

/// Which fields the status of a group has.
enum class GroupStatusForm : uint8_t {
  kNone,
  kCounts,              ///< phase, running, succeeded, failed
  kCountsAndScheduled,  ///< the same, and scheduled
  kOwnPhases,           ///< the same as kCounts with Inqueue and Completed, and conditions
  kConditions,          ///< conditions alone
};

/// All that is particular to one dialect. Texts are static; what does not apply is empty.
struct DialectRow {
  Dialect dialect = Dialect::kNone;
  std::string_view name;                            // for messages
  std::string_view group;                           // of its PodGroups; empty: it has no objects
  std::span<const std::string_view> versions = {};  // all that can be read, the newest first
  MarkerPlace place = MarkerPlace::kNone;
  std::string_view marker = {};         // the key, or the path of the field
  std::string_view minimum_field = {};  // for messages: where the minimum of a group is
  /// Of a pod, annotation or label: its role (a key of spec.minTaskMember). Empty: no roles.
  std::string_view role_key = {};
  bool has_queue = false;  // spec.queue
  GroupStatusForm status = GroupStatusForm::kNone;
  /// Some versions of the CRD have no subresource `status`: the object itself is patched.
  bool status_in_object = false;

  /// True if a label or an annotation with the key `marker` names the group.
  constexpr bool IsByKey() const {
    return place == MarkerPlace::kLabel || place == MarkerPlace::kAnnotation;
  }
};

inline constexpr std::array<std::string_view, 1> kV1Alpha1{"v1alpha1"};
inline constexpr std::array<std::string_view, 1> kV1Beta1{"v1beta1"};
/// Kubernetes 1.37 serves the first two, 1.36 the last.
inline constexpr std::array<std::string_view, 3> kUpstreamVersions{"v1beta1", "v1alpha3",
                                                                   "v1alpha2"};

/// The one table of dialects, in the order of the enum.
inline constexpr std::array<DialectRow, 6> kDialects{{
    {.dialect = Dialect::kNone, .name = "none", .group = ""},
    {.dialect = Dialect::kLabels,
     .name = "labels podGroup and minAvailable",
     .group = "",
     .place = MarkerPlace::kPair,
     .minimum_field = "label minAvailable"},
    {.dialect = Dialect::kSchedulerPlugins,
     .name = "scheduling.x-k8s.io",
     .group = "scheduling.x-k8s.io",
     .versions = kV1Alpha1,
     .place = MarkerPlace::kLabel,
     .marker = "scheduling.x-k8s.io/pod-group",
     .minimum_field = "spec.minMember",
     .status = GroupStatusForm::kCounts},
    {.dialect = Dialect::kKoordinator,
     .name = "scheduling.sigs.k8s.io",
     .group = "scheduling.sigs.k8s.io",
     .versions = kV1Alpha1,
     .place = MarkerPlace::kLabel,
     .marker = "pod-group.scheduling.sigs.k8s.io",
     .minimum_field = "spec.minMember",
     .status = GroupStatusForm::kCountsAndScheduled},
    {.dialect = Dialect::kVolcano,
     .name = "scheduling.volcano.sh",
     .group = "scheduling.volcano.sh",
     .versions = kV1Beta1,
     .place = MarkerPlace::kAnnotation,
     .marker = "scheduling.k8s.io/group-name",
     .minimum_field = "spec.minMember",
     .role_key = "volcano.sh/task-spec",
     .has_queue = true,
     .status = GroupStatusForm::kOwnPhases,
     .status_in_object = true},
    {.dialect = Dialect::kUpstream,
     .name = "scheduling.k8s.io",
     .group = "scheduling.k8s.io",
     .versions = kUpstreamVersions,
     .place = MarkerPlace::kField,
     .marker = "spec.schedulingGroup.podGroupName",
     .minimum_field = "spec.schedulingPolicy.gang.minCount",
     .status = GroupStatusForm::kConditions},
}};

constexpr const DialectRow& RowOf(Dialect dialect) {
  return kDialects[static_cast<size_t>(dialect)];
}

static_assert([] {
  for (const DialectRow& row : kDialects) {
    if (&row != &RowOf(row.dialect)) return false;
  }
  return true;
}());

}  // namespace outrigger
