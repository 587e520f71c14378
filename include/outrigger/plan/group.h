#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"
#include "outrigger/plan/notes.h"
#include "outrigger/plan/unit.h"

// How pods say which group they are in, and the objects that describe groups. Plain values and pure
// functions.

namespace outrigger::plan {

/// The largest minimum and the most members that a group may have.
inline constexpr int64_t kMaxMembers = 100'000;

inline constexpr std::string_view kPodGroupLabel = "podGroup";
inline constexpr std::string_view kMinAvailableLabel = "minAvailable";
inline constexpr std::string_view kSchedulerPluginsLabel = "scheduling.x-k8s.io/pod-group";
inline constexpr std::string_view kSigsLabel = "pod-group.scheduling.sigs.k8s.io";
inline constexpr std::string_view kVolcanoAnnotation = "scheduling.k8s.io/group-name";
/// Of a pod, annotation or label: its role in a Volcano group (a key of spec.minTaskMember).
inline constexpr std::string_view kVolcanoRole = "volcano.sh/task-spec";
/// Annotations of a PodGroup object, or of the pods of a group without one: node labels, separated
/// by commas, in order.
inline constexpr std::string_view kTopologyRequired = "outrigger.dev/topology-required";
inline constexpr std::string_view kTopologyPreferred = "outrigger.dev/topology-preferred";
/// In the same places: what becomes of a gang that has lost members (OnMemberLoss): "ignore",
/// "replace" or "restart".
inline constexpr std::string_view kOnMemberLoss = "outrigger.dev/on-member-loss";
/// Of a member that is bound: the minimum with which its gang started. Agent gang writes it with
/// the binding, so that it is known as long as one of these pods is there.
inline constexpr std::string_view kStartedWith = "outrigger.dev/started-with";

/// Which group a pod says that it is in. Views live as long as the pod.
struct Membership {
  Dialect dialect = Dialect::kNone;  // never kNone
  std::string_view namespace_;
  std::string_view name;
  int64_t minimum = 0;           // 1..kMaxMembers, given on the pod: kLabels alone; else 0
  std::string_view role;         // kVolcano alone
  std::string_view minimum_key;  // kLabels alone: where the minimum is
};

/// The one group of a pod, or nothing for a single pod. Depends on the pod alone, neither on which
/// objects exist nor on what the API server serves.
///
/// A dialect counts only where everything that it needs is on the pod: podGroup *and* minAvailable,
/// or the one name of the others. Missing and empty is the same. A group's name is a label value
/// (up to 63 characters), or, in an annotation or field, up to 253 characters; minAvailable is an
/// integer from 1 to kMaxMembers. What is malformed does not count, and is noted.
///
/// Where several dialects count, this is the order: upstream's field (kube-scheduler itself may act
/// on it), labels (which need no object), then scheduler-plugins, sigs, Volcano. That is noted
/// about the group that is taken. Where none counts, the pairs of a name and a minimum that earlier
/// Coscheduling and Koordinator have on pods are read as labels are, and markers of other
/// schedulers that are not read are noted. `notes` may be null. Thread-safe as far as `notes` is.
std::optional<Membership> MembershipOf(const Pod& pod, Notes* notes);

/// A PodGroup object of any dialect but kLabels.
using PodGroupObject = PodGroup;

/// For messages: "scheduling.x-k8s.io".
std::string_view NameOf(Dialect dialect);

/// "podgroups.scheduling.x-k8s.io": the resource of a dialect's objects; empty if it has none.
std::string_view ResourceOf(Dialect dialect);

/// The field that holds the minimum of a group of this dialect: "spec.minMember".
std::string_view MinimumFieldOf(Dialect dialect);

}  // namespace outrigger::plan
