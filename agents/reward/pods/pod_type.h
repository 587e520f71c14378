#pragma once

#include <string_view>

#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::reward {

/// The type of a pod: the value of its label `podtype`, else `app`, else `name`, where the first
/// that is there counts though it be empty; without any of them the pod's name. A view into `pod`.
std::string_view TypeOf(const Pod& pod);
/// The same of a pod of a snapshot; needs Needs::PodMetadata().
std::string_view TypeOf(const PodView& pod);

/// True if `text` can be a type or the name of a node of which something is kept: 1 to 253 letters,
/// digits, '-', '_' and '.', as the API server accepts values of labels and names.
bool IsName(std::string_view text);

}  // namespace outrigger::reward
