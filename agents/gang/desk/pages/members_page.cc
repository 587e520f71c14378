#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gang/desk/pages/desk_pages.h"
#include "gang/plan/group.h"

namespace outrigger::desk {
namespace {

using Type = PageColumn::Type;

std::string NameOf(const Pod& pod) {
  return pod.namespace_ + "/" + pod.name;
}

void AddRow(const std::string& unit, const Pod& pod, std::string_view role, std::string_view state,
            std::string_view node, PageTable* table) {
  table->Add({unit, NameOf(pod), TextOrAbsent(role), std::string(state), TextOrAbsent(node)});
}

void AddWaiting(const std::string& unit, const BoardPod& seat, PageTable* table) {
  if (!seat.node.empty()) return AddRow(unit, *seat.pod, seat.role, "reserved", seat.node, table);
  const std::string_view state = seat.kept_node.empty() ? "waits" : "room kept";
  AddRow(unit, *seat.pod, seat.role, state, seat.kept_node, table);
}

void AddBound(const std::string& unit, std::span<const BoundMember> bound, PageTable* table) {
  for (size_t i = 0; i < bound.size(); ++i) {
    if (table->full()) return table->Count(bound.size() - i);
    AddRow(unit, *bound[i].pod, bound[i].role, "bound", bound[i].pod->node_name, table);
  }
}

void AddUnit(const Board& board, const BoardEntry& entry, PageTable* table) {
  const std::span<const BoundMember> bound =
      entry.unit.gang ? board.BoundOf(entry.unit.key) : std::span<const BoundMember>();
  if (table->full()) return table->Count(entry.pods.size() + bound.size());
  const std::string unit = TextOf(entry.unit.key);
  for (const BoardPod& seat : entry.pods) AddWaiting(unit, seat, table);
  AddBound(unit, bound, table);
}

// Pods for which nothing is planned, by their groups, in the order of the groups' keys.
std::map<const plan::GroupState*, std::vector<const BoardPod*>> Unplanned(const Board& board) {
  std::map<const plan::GroupState*, std::vector<const BoardPod*>> pods;  // all point into groups()
  for (const BoardPod& seat : board.unplanned()) {
    const auto membership = plan::MembershipOf(*seat.pod, nullptr);
    if (!membership) continue;
    const plan::GroupState* const group = plan::FindGroup(board.groups(), *membership);
    if (group != nullptr) pods[group].push_back(&seat);
  }
  return pods;
}

}  // namespace

PageSpec MembersPage() {
  return {
      "members",
      "pods that want a place, in the order of the queue, with the bound members of their gangs",
      {{"unit", Type::kText, "namespace/name of the pod's group, or of the single pod"},
       {"pod", Type::kText, "namespace/name of the pod"},
       {"role", Type::kText, "role in a group that has roles; absent: none"},
       {"state", Type::kText,
        "bound, reserved (it has a place in the plan), room kept (for a gang that does not fit "
        "yet), or waits"},
       {"node", Type::kText, "where it is bound or is to go; absent: it waits"}}};
}

void FillMembersPage(const Board& board, PageTable* table) {
  for (const BoardEntry* entry : InQueueOrder(board)) AddUnit(board, *entry, table);
  for (const auto& [group, seats] : Unplanned(board)) {
    const std::string unit = TextOf(group->key);
    for (const BoardPod* seat : seats) AddWaiting(unit, *seat, table);
    AddBound(unit, board.BoundOf(group->key), table);
  }
}

}  // namespace outrigger::desk
