#pragma once

#include <array>
#include <string_view>

#include "outrigger/plan/group.h"

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

/// A key of another scheduler that says that pods belong together, in a way that is not read here:
/// the object, or the order of events, means something else.
struct UnreadMarker {
  std::string_view key;
  std::string_view whose;
  bool in_annotations = false;
};

inline constexpr std::string_view kYuniKorn = "YuniKorn";
inline constexpr std::array kUnreadMarkers = {
    UnreadMarker{"kueue.x-k8s.io/pod-group-name", "Kueue"},
    UnreadMarker{"pod-group-name", "KAI Scheduler", true},
    UnreadMarker{"yunikorn.apache.org/task-group-name", kYuniKorn, true},
    UnreadMarker{"yunikorn.apache.org/task-groups", kYuniKorn, true}};

}  // namespace outrigger::plan
