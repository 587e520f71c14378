#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gang/desk/pages/desk_pages.h"
#include "gang/plan/group.h"
#include "outrigger/base/text.h"

namespace outrigger::desk {
namespace {

using Type = PageColumn::Type;

// In the order in which the page shows them.
enum class State : uint8_t { kInPart, kWaits, kNotReady, kHasPlace, kLeft, kPlaced };

std::string_view TextOf(State state) {
  switch (state) {
    case State::kInPart:
      return "in part";
    case State::kWaits:
      return "waits";
    case State::kNotReady:
      return "not ready";
    case State::kHasPlace:
      return "has a place";
    case State::kLeft:
      return "left to kube-scheduler";
    case State::kPlaced:
      break;
  }
  return "placed";
}

// What the plan has for the pods of a group that want a place.
struct Planned {
  const BoardEntry* waiting = nullptr;  // the first that does not fit: the gang, or a single member
  int64_t wanting = 0;
  int64_t reserved = 0;  // of these
};
using PlannedOf = absl::flat_hash_map<const plan::GroupState*, Planned>;

// Of a gang its unit, or of a group whose members are scheduled one by one those of its pods.
const plan::GroupState* GroupOf(const Board& board, const BoardEntry& entry, bool has_singles) {
  if (entry.unit.gang) return board.FindGroupOf(entry.unit.key);
  if (!has_singles || entry.pods.empty()) return nullptr;
  const auto membership = plan::MembershipOf(*entry.pods.front().pod, nullptr);
  return membership ? plan::FindGroup(board.groups(), *membership) : nullptr;
}

PlannedOf ReadPlan(const Board& board) {
  const auto& groups = board.groups();
  const bool has_singles = std::any_of(groups.begin(), groups.end(), [](const auto& group) {
    return group.independent && group.bound < group.existing;
  });
  PlannedOf all;
  for (const auto& entry : board.entries()) {
    const plan::GroupState* const group = GroupOf(board, *entry, has_singles);
    if (group == nullptr) continue;
    Planned& planned = all[group];
    if (!entry->unit.fits && planned.waiting == nullptr) planned.waiting = entry.get();
    planned.wanting += static_cast<int64_t>(entry->pods.size());
    planned.reserved += std::count_if(entry->pods.begin(), entry->pods.end(),
                                      [](const BoardPod& seat) { return !seat.node.empty(); });
  }
  return all;
}

State StateOf(const plan::GroupState& group, const Planned& planned) {
  if (group.cause == plan::GroupCause::kLeftToScheduler) return State::kLeft;
  const bool has_all = planned.waiting == nullptr && planned.wanting > 0 &&
                       group.bound + planned.reserved >= group.needed;
  if (has_all) return State::kHasPlace;
  const bool starts_in_part = planned.waiting == nullptr && planned.reserved > 0;
  if (group.broken || starts_in_part) return State::kInPart;
  if (group.cause != plan::GroupCause::kNone) return State::kNotReady;
  return planned.wanting > 0 ? State::kWaits : State::kPlaced;
}

struct Row {
  const plan::GroupState* group;
  Planned planned;
  State state;
};

std::string RowWhy(const Board& board, const Row& row, const WorkedOutWhy& why) {
  if (row.state == State::kLeft) return "kube-scheduler handles it itself (leave-upstream)";
  if (Waits(*row.group)) return Shortened(row.group->text, plan::kLongestWhy);
  if (row.planned.waiting == nullptr) return "";
  return WhyOf(QueueEntryOf(board, *row.planned.waiting), why);
}

std::string_view LacksOf(const Row& row) {
  if (Waits(*row.group)) return plan::TextOf(row.group->cause);
  return row.planned.waiting == nullptr ? std::string_view() : row.planned.waiting->unit.word;
}

std::vector<PageCell> CellsOf(const Board& board, const Row& row, const WorkedOutWhy& why) {
  const plan::GroupState& group = *row.group;
  return {plan::TextOf(group.key),
          std::string(TextOf(row.state)),
          group.minimum,
          group.existing,
          group.bound,
          group.queued,
          group.gated,
          group.terminating,
          TextOrAbsent(LacksOf(row)),
          TextOrAbsent(RowWhy(board, row, why))};
}

}  // namespace

PageSpec GangsPage() {
  return {"gangs",
          "groups that pods name, those that wait first",
          {{"unit", Type::kText, "namespace/name of the group"},
           {"state", Type::kText,
            "in part (some are bound or have places, below the minimum), waits, not ready (nothing "
            "is planned for "
            "it), has a place (all that it needs), left to kube-scheduler, or placed (it wants "
            "nothing more)"},
           {"minimum", Type::kInteger,
            "members with which it starts; 0: not known, or they are scheduled one by one"},
           {"existing", Type::kInteger, "members that are bound or want a place"},
           {"bound", Type::kInteger, "members that are bound"},
           {"queued", Type::kInteger,
            "members that want a place and have only the gate outrigger.dev/queue"},
           {"gated", Type::kInteger,
            "members that another scheduling gate holds; they do not exist "
            "for the minimum"},
           {"terminating", Type::kInteger, "members that are being deleted"},
           {"lacks", Type::kText, "what is short, in a word; absent: nothing"},
           {"why", Type::kText, "why it waits, in a sentence; absent: it does not"}}};
}

void FillGangsPage(const Board& board, const WorkedOutWhy& why, PageTable* table) {
  const PlannedOf all = ReadPlan(board);
  std::vector<Row> rows;
  rows.reserve(board.groups().size());
  for (const plan::GroupState& group : board.groups()) {
    const auto found = all.find(&group);
    const Planned planned = found == all.end() ? Planned() : found->second;
    rows.push_back({&group, planned, StateOf(group, planned)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.state < b.state; });
  for (size_t i = 0; i < rows.size(); ++i) {
    if (table->full()) return table->Count(rows.size() - i);
    table->Add(CellsOf(board, rows[i], why));
  }
}

}  // namespace outrigger::desk
