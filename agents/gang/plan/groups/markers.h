#pragma once

#include <array>
#include <string_view>

#include "gang/plan/group.h"
#include "sdk/base/dialects.h"

// Keys by which pods say which group they are in, of this and of other schedulers.

namespace outrigger::plan {

/// A name and a minimum on the pod itself: a group of dialect kLabels, which needs no object.
struct GroupOnPod {
  std::string_view name_key;
  std::string_view minimum_key;
  bool in_annotations = false;
};

inline constexpr GroupOnPod kLabelsOnPod = {kPodGroupLabel, kMinAvailableLabel};
/// Coscheduling before it had PodGroups (scheduler-plugins 0.18), and Koordinator's way without
/// them (koordinator.sh/docs/user-manuals/gang-scheduling): they mean the same.
inline constexpr std::array kOthersOnPod = {
    GroupOnPod{"pod-group.scheduling.sigs.k8s.io/name",
               "pod-group.scheduling.sigs.k8s.io/min-available"},
    GroupOnPod{"gang.scheduling.koordinator.sh/name",
               "gang.scheduling.koordinator.sh/min-available", true}};

inline constexpr std::string_view kTheLabel = "the label of that name";
inline constexpr std::string_view kTheAnnotation = "the annotation of that name";

/// A key by which pods are meant to belong together, and that is not read here: the object, or the
/// order of events, means something else, or another key or place is read.
struct UnreadMarker {
  std::string_view key;
  std::string_view whose;
  bool in_annotations = false;
  std::string_view instead = "labels podGroup and minAvailable";
  bool names_gang = true;  // by its value
};

inline constexpr std::string_view kYuniKorn = "YuniKorn";
inline constexpr std::string_view kVolcanoScheduler = "Volcano";
inline constexpr std::array kUnreadMarkers = {
    UnreadMarker{"kueue.x-k8s.io/pod-group-name", "Kueue"},
    UnreadMarker{"pod-group-name", "KAI Scheduler", true},
    UnreadMarker{"yunikorn.apache.org/task-group-name", kYuniKorn, true},
    UnreadMarker{"yunikorn.apache.org/task-groups", kYuniKorn, true,
                 "labels podGroup and minAvailable", false},
    UnreadMarker{"scheduling.volcano.sh/group-name", kVolcanoScheduler, true,
                 "annotation scheduling.k8s.io/group-name"},
    UnreadMarker{"scheduling.volcano.sh/group-name", kVolcanoScheduler, false,
                 "annotation scheduling.k8s.io/group-name"},
    UnreadMarker{"scheduling.volcano.sh/group-min-member", kVolcanoScheduler, true,
                 "labels podGroup and minAvailable", false},
    UnreadMarker{"leaderworkerset.sigs.k8s.io/group-key", "LeaderWorkerSet"},
    UnreadMarker{"godel.bytedance.com/pod-group-name", "Godel", true},
    UnreadMarker{"grove.io/podgang", "Grove"},
    UnreadMarker{"armadaproject.io/gangId", "Armada", true},
    UnreadMarker{"scheduling.sigs.k8s.io/pod-group", "Coscheduling", false,
                 "label scheduling.x-k8s.io/pod-group"},
    // What is read, in the other place.
    UnreadMarker{RowOf(Dialect::kVolcano).marker, kVolcanoScheduler, false, kTheAnnotation},
    UnreadMarker{RowOf(Dialect::kSchedulerPlugins).marker, "scheduler-plugins", true, kTheLabel},
    UnreadMarker{RowOf(Dialect::kKoordinator).marker, "Koordinator", true, kTheLabel},
    UnreadMarker{kPodGroupLabel, "Outrigger", true, kTheLabel},
    UnreadMarker{kOthersOnPod[0].name_key, "Coscheduling", true, kTheLabel},
    UnreadMarker{kOthersOnPod[1].name_key, "Koordinator", false, kTheAnnotation}};

}  // namespace outrigger::plan
