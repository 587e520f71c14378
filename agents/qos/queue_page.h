#pragma once

#include "outrigger/agent/page.h"
#include "outrigger/desk/board.h"

namespace outrigger::qos {

/// Fills the page "queue" (plan::QueuePage()) with all units that want a place, in their order.
void FillQueuePage(const desk::Board& board, PageTable* table);

}  // namespace outrigger::qos
