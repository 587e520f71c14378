#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "gang/plan/notes.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/pod.h"

// The order of the queue. Pure functions, thread-safe.
//
// Units are ordered by Rank (plan/unit.h): what is never held first, then by groupPriority and pod
// priority, descending, then gangs in part, then by how often they gave up their places, then
// Guaranteed before Burstable before BestEffort, then by creation time (one that is not known is
// the earliest), then by namespace, name and UID. Kubernetes keeps creation times in whole seconds:
// of units that are created within one second the namespace and the name decide.

namespace outrigger::plan {

/// The least priority of system-critical pods: system-cluster-critical. Users' own PriorityClasses
/// are below it.
inline constexpr int32_t kSystemCriticalPriority = 2'000'000'000;

/// The kubelet sets this annotation on mirror pods, which stand for static pods.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

/// A 64-bit integer: units with a larger one come first.
inline constexpr std::string_view kGroupPriorityLabel = "groupPriority";

/// The QoS class in the pod's status, or else the one that Kubernetes 1.37 would write there
/// (helper/qos.ComputePodQOS): pod-level resources decide where cpu, memory or hugepages are among
/// them, and otherwise all containers, init containers included; only cpu and memory count, so that
/// hugepages alone are BestEffort. Defaults that the API server sets, such as requests from limits,
/// are not set here.
QosClass QosClassOf(const Pod& pod);

/// The value of the label groupPriority; 0 if it is missing. One that is malformed or does not fit
/// 64 bits is 0 and noted about `about`, if there are `notes`.
int64_t GroupPriorityOf(const StringMap& labels, const UnitKey& about, Notes* notes);

/// True if the pod's required node affinity names one node in all its terms, as the DaemonSet
/// controller writes it. Any user may write that, so it does not put the pod before others.
bool IsForOneNode(const Pod& pod);

/// True if no queue may hold or gate the pod, and it comes before everything else as a single one
/// (Rank::first): its priority is system-critical, it is a mirror pod,
/// or its controller is a DaemonSet of the API group apps. Reads Needs().PodScheduling(),
/// PodMetadata() and PodStatus().
bool IsNeverHeld(const Pod& pod);

/// The place of a single pod in the queue, with `by_priority` as Rank::by_priority. A malformed
/// groupPriority is noted if there are `notes`.
Rank RankOf(const Pod& pod, bool by_priority, Notes* notes);

/// The bare comparison of two pods, as long as nothing is known of groups: groupPriority,
/// descending, then Guaranteed before Burstable before BestEffort. `less`: a comes first;
/// `equivalent`: they keep the order in which they arrived, so sort stably. A malformed
/// groupPriority counts as 0.
std::weak_ordering ComparePods(const Pod& a, const Pod& b);

}  // namespace outrigger::plan
