#pragma once

#include <string>

#include "outrigger/k8s/pod.h"

namespace outrigger::plan {

/// Returns which gang of another scheduler the pod says it is in, by a marker that is not read as a
/// group (plan/groups/markers.h); empty: none. Pods of one namespace are together if it is equal.
std::string OtherGangOf(const Pod& pod);

}  // namespace outrigger::plan
