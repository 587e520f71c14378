#include "plan/shape_table.h"

namespace outrigger::plan {

ShapeIndex ShapeTable::Of(const Member& member) {
  // Where its volumes are may change while the pod stays the same object.
  if (!member.pinned.empty()) return space_->ShapeOf(member.pod, member.pinned);
  auto [at, is_new] = entries_.try_emplace(member.pod.get());
  if (is_new) at->second = {member.pod, space_->ShapeOf(member.pod, {})};
  at->second.used = round_;
  return at->second.shape;
}

size_t ShapeTable::Sweep() {
  absl::erase_if(entries_, [&](const auto& entry) { return entry.second.used != round_; });
  ++round_;
  return entries_.size();
}

}  // namespace outrigger::plan
