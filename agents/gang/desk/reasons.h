#pragma once

#include <string>
#include <string_view>

#include "gang/plan/groups.h"
#include "gang/plan/unit.h"

// What is said to people in a pod's condition: the class of a cause and where to find figures. A
// text with figures would be patched by kube-scheduler at each change, and each patch wakes the
// pod.

namespace outrigger::desk {

/// What every reason of ours has, so that it is known as ours in a pod's condition.
inline constexpr std::string_view kOurs = "see outrigger explain";
/// The ends of reasons: where figures are.
inline constexpr std::string_view kPointer = "see outrigger explain gang";
inline constexpr std::string_view kQueuePointer = "see outrigger explain queue";

/// What is said of a node that kube-scheduler does not offer for the pod that is nominated for it.
inline constexpr std::string_view kNotPassed = "the node does not pass its own filters";

/// "refused by kube-scheduler: node(s) had a taint": its own words in a pod's condition, without
/// figures and what is ours; empty: there are none.
std::string RefusalText(std::string_view condition);

/// "gang default/train waits: cpu (see outrigger explain gang)".
std::string WaitingText(const plan::UnitKey& gang, std::string_view word);
/// Of a group for which nothing is planned: "gang default/train waits: members (...)".
std::string WaitingText(const plan::GroupState& group);
/// The same, but of a small group that lacks members: how many exist. The text changes with each
/// member that comes.
std::string CountingText(const plan::GroupState& group);

}  // namespace outrigger::desk
