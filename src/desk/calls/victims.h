#pragma once

#include <vector>

#include "outrigger/agent/stages.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// Adds to `chosen` the candidates that the pod may take: all, if its profile holds no pods or it
/// is never held itself; else those whose victims do not come before the pod in the order, on nodes
/// that are too small, even empty, for all members of earlier units without a place. That keeps
/// more for earlier units than they can use, and holds though the view is late. Thread-safe.
void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen);

}  // namespace outrigger::desk
