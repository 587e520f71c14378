#pragma once

#include <vector>

#include "outrigger/agent/stages.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// Adds to `chosen` the candidates that the pod may take: all, if its profile holds no pods or it
/// is never held itself; else those with room that no member of an earlier unit without a place
/// could use, and whose victims do not come before the pod in the order themselves. Resources alone
/// are compared: that keeps more for earlier units than they can use. Thread-safe.
void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen);

}  // namespace outrigger::desk
