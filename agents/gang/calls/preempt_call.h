#pragma once

#include <vector>

#include "calls/barrier.h"
#include "common/desk_names.h"
#include "outrigger/agent/stages.h"

namespace outrigger::gang {

/// Of the candidates those whose victims may be evicted: none for a preemptor of a gang, and none
/// that would cut a gang below its minimum. Dropped are candidates of which a victim waits at a
/// barrier, or did a moment ago (its place becomes free by itself, which wakes the preemptor), and
/// those without victims where the plan has no room for the pod. Where nobody is chosen and no
/// place becomes free, and the preemptor comes before the gang that waits in the plan, the barrier
/// fails, which frees the place without evicting anybody.
void ChooseVictims(const Board& board, const PreemptRequest& request, Barriers* barriers,
                   std::vector<NodeVictims>* chosen);

}  // namespace outrigger::gang
