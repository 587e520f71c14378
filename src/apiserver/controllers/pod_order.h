#pragma once

#include <vector>

#include "apiserver/controllers/desk.h"

namespace outrigger::apiserver {

/// Those that are the least loss first, as upstream's ActivePodsWithRanks: without a node, pending,
/// not ready, of lower deletion cost, beside more of their own on one node, ready for a shorter
/// time, restarted more often, newer.
void SortToDelete(std::vector<Pod>* pods);

}  // namespace outrigger::apiserver
