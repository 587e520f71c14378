#include "gang/desk/pages/desk_pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::desk {
std::vector<PageSpec> DeskPages() {
  return {plan::QueuePage(), GangsPage(), MembersPage(), NodesPage()};
}

absl::Status FillDeskPage(std::string_view page, const Board& board, const WorkedOutWhy& why,
                          PageTable* table) {
  if (page == "queue") {
    FillQueuePage(board, why, table);
  } else if (page == "gangs") {
    FillGangsPage(board, why, table);
  } else if (page == "members") {
    FillMembersPage(board, table);
  } else if (page == "nodes") {
    FillNodesPage(board, table);
  } else {
    return absl::NotFoundError(fmt::format("no such page: {}", page));
  }
  return absl::OkStatus();
}

// Boards have nearly this order: units that rest come last.
std::vector<const BoardEntry*> InQueueOrder(const Board& board) {
  std::vector<const BoardEntry*> entries;
  entries.reserve(board.entries().size());
  for (const auto& entry : board.entries()) entries.push_back(entry.get());
  const auto is_before = [](const BoardEntry* a, const BoardEntry* b) {
    return a->unit.rank < b->unit.rank;
  };
  const auto rest = std::is_sorted_until(entries.begin(), entries.end(), is_before);
  if (!std::is_sorted(rest, entries.end(), is_before)) std::sort(rest, entries.end(), is_before);
  std::inplace_merge(entries.begin(), rest, entries.end(), is_before);
  return entries;
}

plan::QueueEntry QueueEntryOf(const Board& board, const BoardEntry& entry) {
  const BoardUnit& unit = entry.unit;
  plan::QueueEntry row{.key = &unit.key,
                       .rank = &unit.rank,
                       .fits = unit.fits,
                       .lacks = unit.word,
                       .cause = &entry.cause,
                       .first = entry.pods.empty() ? nullptr : entry.pods.front().pod.get(),
                       .members = static_cast<int64_t>(entry.pods.size()),
                       .minimum = unit.minimum};
  if (!unit.gang) return row;
  const plan::GroupState* const group = board.FindGroupOf(unit.key);
  if (group == nullptr) return row;
  row.bound = group->bound;
  row.minimum = group->minimum;
  return row;
}

std::string WhyOf(const plan::QueueEntry& entry, const WorkedOutWhy& why) {
  const bool is_gang = entry.key->dialect != plan::Dialect::kNone;
  const std::string text = is_gang && why ? why(*entry.key, entry.lacks) : std::string();
  return text.empty() ? plan::WhyText(entry) : Shortened(text, plan::kLongestWhy);
}

void FillQueuePage(const Board& board, const WorkedOutWhy& why, PageTable* table) {
  const std::vector<const BoardEntry*> entries = InQueueOrder(board);
  std::string after;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (table->full()) return table->Count(entries.size() - i);
    const plan::QueueEntry entry = QueueEntryOf(board, *entries[i]);
    plan::AddQueueRow(i + 1, entry, after, entry.fits ? std::string() : WhyOf(entry, why), table);
    after = TextOf(*entry.key);
  }
}

}  // namespace outrigger::desk
