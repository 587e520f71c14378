#pragma once

#include <cstdint>
#include <vector>

#include "outrigger/k8s/pod.h"

namespace outrigger::plan {

/// True if the pod has a hard topology spread constraint, or a term of required pod affinity or
/// anti-affinity.
bool AsksOfOthers(const Pod& pod);

/// One number for each of these, which equal ones of other pods have, too. Valid in this process.
std::vector<uint64_t> TermIdsOf(const Pod& pod);

}  // namespace outrigger::plan
