#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/stages.h"

namespace outrigger::penalty {

/// Returns the penalised class that a class is, or stands in for: new pods get other priorities
/// than those that run. Empty: it is not penalised.
using PenalisedAs = std::function<std::string(std::string_view priority_class)>;

/// Adds to `chosen` the candidates without those whose victims are of the preemptor's own
/// penalised class, or of its gang: a class that recovers would evict its own pods, which were
/// created while its value was lower. A victim that the snapshot does not have is taken for one of
/// another class. Returns how many candidates were left out.
size_t ChooseVictims(const PreemptRequest& request, const ClusterSnapshot& snapshot,
                     const PenalisedAs& penalised_as, std::vector<NodeVictims>* chosen);

}  // namespace outrigger::penalty
