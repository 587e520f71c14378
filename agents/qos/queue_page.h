#pragma once

#include "outrigger/agent/page.h"
#include "outrigger/desk/board.h"

namespace outrigger::qos {

/// The page "queue": all units that want a place, in their order.
PageSpec QueuePage();
void FillQueuePage(const desk::Board& board, PageTable* table);

}  // namespace outrigger::qos
