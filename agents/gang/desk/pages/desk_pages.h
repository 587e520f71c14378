#pragma once

#include <string>
#include <vector>

#include "gang/desk/board.h"
#include "gang/desk/pages.h"
#include "gang/plan/queue.h"
#include "outrigger/agent/page.h"

// The pages of the desk, one by one, and what they share.

namespace outrigger::desk {

PageSpec GangsPage();
PageSpec MembersPage();
PageSpec NodesPage();

void FillQueuePage(const Board& board, const WorkedOutWhy& why, PageTable* table);
void FillGangsPage(const Board& board, const WorkedOutWhy& why, PageTable* table);
void FillMembersPage(const Board& board, PageTable* table);
void FillNodesPage(const Board& board, PageTable* table);

/// Returns units with their pods, in the order of the queue. Valid as long as the board.
std::vector<const BoardEntry*> InQueueOrder(const Board& board);

/// Returns what the page of the queue shows of a unit. Valid as long as the board.
plan::QueueEntry QueueEntryOf(const Board& board, const BoardEntry& entry);

/// Returns why the unit, which does not fit, waits: what was worked out of a gang, else a sentence
/// made of the cause.
std::string WhyOf(const plan::QueueEntry& entry, const WorkedOutWhy& why);

}  // namespace outrigger::desk
