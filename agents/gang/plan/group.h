#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gang/plan/notes.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"

// How pods say which group they are in, and the objects that describe groups. Plain values and pure
// functions.

namespace outrigger::plan {

/// The largest minimum and the most members that a group may have.
inline constexpr int64_t kMaxMembers = 100'000;

inline constexpr std::string_view kPodGroupLabel = "podGroup";
inline constexpr std::string_view kMinAvailableLabel = "minAvailable";
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
  int64_t minimum = 0;           // kLabels alone: 1..kMaxMembers; 0: the pod names none
  std::string_view role;         // where the dialect has roles
  std::string_view minimum_key;  // kLabels alone: where the minimum is, or would be
};

/// The one group of a pod, or nothing for a single pod. Depends on the pod alone, neither on which
/// objects exist nor on what the API server serves. Whether the members of a group are planned
/// together depends on the group (GroupState::independent).
///
/// Missing and empty is the same. A group's name is a label value (up to 63 characters), or, in an
/// annotation or field, up to 253 characters; minAvailable is an integer from 1 to kMaxMembers.
/// What is malformed does not count, and is noted.
///
/// Where several dialects count, this is the order: upstream's field (kube-scheduler itself may act
/// on it), labels (which need no object), then the others as in kDialects. That is noted
/// about the group that is taken. Where none counts, kOthersOnPod (markers.h) are read as labels
/// are. A name without a minimum counts last. Markers of other schedulers that are not read are
/// noted. `notes` may be null. Thread-safe as far as `notes` is.
std::optional<Membership> MembershipOf(const Pod& pod, Notes* notes);

/// A PodGroup object of any dialect but kLabels.
using PodGroupObject = PodGroup;

/// For messages, of a Membership::minimum_key: "label minAvailable".
std::string MinimumText(std::string_view minimum_key);
/// What is noted of a group of kLabels whose pods name no minimum.
std::string NoMinimumText(std::string_view minimum_key);

/// "podgroups.scheduling.x-k8s.io": the resource of the objects of a dialect that has any.
std::string ResourceOf(Dialect dialect);

}  // namespace outrigger::plan
