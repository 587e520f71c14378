#include "queue_page.h"

#include <algorithm>
#include <string>
#include <vector>

#include "decisions.h"

namespace outrigger::qos {
namespace {

using Type = PageColumn::Type;

PageCell TextOrNothing(std::string text) {
  return text.empty() ? PageCell() : PageCell(std::move(text));
}

}  // namespace

PageSpec QueuePage() {
  return {"queue",
          "units that want a place, in the order of the queue",
          {{"position", Type::kInteger},
           {"unit", Type::kText},
           {"kind", Type::kText},
           {"groupPriority", Type::kInteger},
           {"priority", Type::kInteger},
           {"class", Type::kText},
           {"createdSeconds", Type::kInteger},
           {"state", Type::kText},
           {"behind", Type::kText},
           {"lacks", Type::kText}}};
}

void FillQueuePage(const desk::Board& board, PageTable* table) {
  std::vector<const desk::BoardUnit*> units;
  units.reserve(board.units().size());
  for (const desk::BoardUnit& unit : board.units()) units.push_back(&unit);
  std::sort(units.begin(), units.end(),
            [](const auto* a, const auto* b) { return a->rank < b->rank; });
  std::string front;
  for (size_t i = 0; i < units.size(); ++i) {
    if (table->full()) return table->Count(units.size() - i);
    const desk::BoardUnit& unit = *units[i];
    std::string name = plan::TextOf(unit.key);
    table->Add({static_cast<int64_t>(i + 1), name, std::string(unit.gang ? "gang" : "pod"),
                unit.rank.group_priority, int64_t{unit.rank.priority},
                std::string(TextOf(unit.rank.qos)),
                unit.rank.created == 0 ? PageCell() : PageCell(unit.rank.created),
                std::string(unit.fits ? "has a place" : "waits"), TextOrNothing(front),
                TextOrNothing(unit.word)});
    front = std::move(name);
  }
}

}  // namespace outrigger::qos
