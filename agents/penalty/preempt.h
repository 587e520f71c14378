#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/stages.h"

namespace outrigger::penalty {

/// Returns whether the priority of pods of a class changes while they run: it is penalised.
using IsPenalised = std::function<bool(std::string_view priority_class)>;

/// Adds to `chosen` the candidates without those whose victims are of the preemptor's own
/// penalised class, or of its gang: a class that recovers would evict its own pods, which were
/// created while its value was lower. A victim that the snapshot does not have is taken for one of
/// another class. Returns how many candidates were left out.
size_t ChooseVictims(const PreemptRequest& request, const ClusterSnapshot& snapshot,
                     const IsPenalised& is_penalised, std::vector<NodeVictims>* chosen);

}  // namespace outrigger::penalty
