#pragma once

#include <vector>

#include "outrigger/agent/stages.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// Adds to `chosen` the candidates of a single pod: all, if pods are not held, or the pod never is.
/// None, if the pod has a place (also if it waits for its turn),
/// or no plan has it. Otherwise those where
/// - no single pod that comes before it, and waits too, could run on the node, were it empty;
/// - no victim comes before it in the order;
/// - no unit that comes before it has a place on the node, nor is it kept for one;
/// - node and victims are in the view.
/// Pure. Looks at so many earlier pods at most as to answer in time.
void ChooseVictims(const Board& board, const PreemptRequest& request,
                   std::vector<NodeVictims>* chosen);

}  // namespace outrigger::desk
