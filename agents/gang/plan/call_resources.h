#pragma once

#include <string_view>

#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

// Extended resources that stand for calls. kube-scheduler calls an extender that has
// managedResources only about pods that request one of them, so that pods without a group pay
// nothing for an agent that plans groups. An amount of 0 is enough, which kube-scheduler compares
// with nothing; the planner compares no amount. Pure functions, thread-safe.

namespace outrigger::plan {

/// Of filter, prioritize and preempt calls, and of bind calls: no two entries may manage one name.
inline constexpr std::string_view kCallResource = "outrigger.dev/gang";
inline constexpr std::string_view kBindCallResource = "outrigger.dev/gang-bind";

constexpr bool IsCallResource(std::string_view resource) {
  return resource == kCallResource || resource == kBindCallResource;
}

/// Which of the two a pod asks for.
struct CallsAsked {
  bool in_cycle = false;
  bool bind = false;
  bool All() const { return in_cycle && bind; }
  /// "outrigger.dev/gang and outrigger.dev/gang-bind": those that it does not ask for; empty if
  /// All().
  std::string_view Missing() const;
};

/// Reads requests and limits of containers and init containers, as HTTPExtender.IsInterested() of
/// kube-scheduler's pkg/scheduler does.
CallsAsked CallsAskedBy(const Pod& pod);

/// Takes both off what `pod` requests. They stay in its limits, where CallsAskedBy() finds them.
void LeaveCallsOutOf(Pod* pod);
/// Takes both off `amounts`.
void LeaveCallsOutOf(ResourceList* amounts);

}  // namespace outrigger::plan
