#include "plan/nodes/shape_table.h"

namespace outrigger::plan {

void ShapeTable::Learn(std::span<const Unit> units) {
  for (const Unit& unit : units) {
    for (const Member& member : unit.members) EntryOf(member);
  }
  std::vector<KindIndex> kinds;
  for (const Unit& unit : units) {
    for (const Member& member : unit.members) {
      Entry& entry = EntryOf(member);
      if (!entry.kind) entry.kind = space_->KindOf(*entry.pod);
      if (entry.kind) kinds.push_back(*entry.kind);
    }
  }
  space_->Ask(kinds);
  for (const Unit& unit : units) {
    for (const Member& member : unit.members) Of(member);
  }
}

ShapeTable::Entry& ShapeTable::EntryOf(const Member& member) {
  auto [at, is_new] = entries_.try_emplace(member.pod.get());
  Entry& entry = at->second;
  if (is_new) {
    entry.pod = member.pod;
    space_->Expect(*member.pod);
  }
  entry.used = round_;
  return entry;
}

ShapeIndex ShapeTable::Of(const Member& member) {
  Entry& entry = EntryOf(member);
  const bool matters = space_->Matters(entry.kind);
  const auto kind = matters ? entry.kind : std::nullopt;
  // Where its volumes are may change while the pod stays the same object.
  if (!member.pinned.empty()) return space_->ShapeOf(member.pod, member.pinned, kind);
  if (!entry.known || entry.matters != matters) {
    entry.shape = space_->ShapeOf(member.pod, {}, kind);
    entry.known = true;
    entry.matters = matters;
  }
  return entry.shape;
}

void ShapeTable::Sweep() {
  absl::erase_if(entries_, [&](const auto& entry) { return entry.second.used != round_; });
  ++round_;
}

}  // namespace outrigger::plan
