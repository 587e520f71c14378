#pragma once

#include <vector>

#include "outrigger/agent/stages.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// Adds to `chosen` the candidates that the pod may take: all, if its profile holds no pods or it
/// is never held itself; else those whose room no member of a unit before it, which waits without a
/// place, could use. Resources alone are compared: that keeps more for earlier units than they can
/// use. Thread-safe.
void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen);

}  // namespace outrigger::desk
