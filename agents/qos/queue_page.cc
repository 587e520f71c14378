#include "queue_page.h"

#include <utility>
#include <vector>

#include "outrigger/plan/queue.h"

namespace outrigger::qos {

void FillQueuePage(const desk::Board& board, PageTable* table) {
  std::vector<plan::QueueEntry> entries;
  entries.reserve(board.units().size());
  for (const desk::BoardUnit& unit : board.units()) {
    entries.push_back({&unit.key, &unit.rank, unit.fits, unit.word});
  }
  plan::FillQueuePage(std::move(entries), table);
}

}  // namespace outrigger::qos
