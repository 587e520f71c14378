#include "plan/nodes/shape_table.h"

namespace outrigger::plan {

void ShapeTable::Learn(std::span<const Unit> units) {
  FindEntries(units);
  std::vector<KindIndex> kinds;
  for (const auto& [member, entry] : members_) {
    if (!entry->kind) entry->kind = space_->KindOf(*entry->pod);
    if (entry->kind) kinds.push_back(*entry->kind);
  }
  space_->Ask(kinds);
  learnt_.clear();
  for (const auto& [member, entry] : members_) learnt_.push_back(ShapeOf(*member, entry));
}

void ShapeTable::FindEntries(std::span<const Unit> units) {
  members_.clear();
  for (const Unit& unit : units) {
    for (const Member& member : unit.members) {
      Entry* entry = is_under_way_ ? EntryOfThisRound(member) : nullptr;
      if (entry == nullptr) {
        entry = in_step_.Find(member.pod.get(), [&](const Pod*) { return EntryOf(member); });
      }
      entry->used = round_;
      members_.emplace_back(&member, entry);
    }
  }
  is_under_way_ = true;
}

// Of a pod that was asked for in this round already; or null. It is not asked for in step twice:
// a round of many plans would hold each pod as many times.
ShapeTable::Entry* ShapeTable::EntryOfThisRound(const Member& member) {
  const auto found = entries_.find(member.pod.get());
  return found != entries_.end() && found->second.used == round_ ? &found->second : nullptr;
}

ShapeTable::Entry* ShapeTable::EntryOf(const Member& member) {
  auto [at, is_new] = entries_.try_emplace(member.pod.get());
  Entry& entry = at->second;
  if (is_new) {
    entry.pod = member.pod;
    space_->Expect(*member.pod);
  }
  return &entry;
}

ShapeIndex ShapeTable::Of(const Member& member) {
  return ShapeOf(member, EntryOf(member));
}

ShapeIndex ShapeTable::ShapeOf(const Member& member, Entry* entry) {
  const bool matters = space_->Matters(entry->kind);
  const auto kind = matters ? entry->kind : std::nullopt;
  // Where its volumes are may change while the pod stays the same object.
  if (!member.pinned.empty()) return space_->ShapeOf(member.pod, member.pinned, kind);
  if (!entry->known || entry->matters != matters) {
    entry->shape = space_->ShapeOf(member.pod, {}, kind);
    entry->known = true;
    entry->matters = matters;
  }
  return entry->shape;
}

void ShapeTable::Sweep() {
  in_step_.EndRound([this](Entry* entry) {
    if (entry->used != round_) entries_.erase(entry->pod.get());
  });
  ++round_;
  is_under_way_ = false;
}

}  // namespace outrigger::plan
