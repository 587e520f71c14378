#include "desk/board/unchanged_entries.h"

#include <string_view>
#include <tuple>

namespace outrigger::desk {
namespace {

// All of it that a pod which is the same object may change.
auto Changeable(const plan::Rank& rank) {
  return std::tie(rank.first, rank.group_priority, rank.priority, rank.by_priority, rank.in_part,
                  rank.turn, rank.qos, rank.created);
}

bool IsSingle(const plan::Unit& unit) {
  return unit.key.dialect == plan::Dialect::kNone && unit.members.size() == 1 && unit.roles.empty();
}

// Null: the entry is not that of a single pod.
const PodPtr* PodOf(const BoardEntry& entry) {
  return entry.unit.gang || entry.pods.size() != 1 ? nullptr : &entry.pods.front().pod;
}

bool SaysTheSame(const BoardEntry& entry, const plan::Unit& unit, const plan::UnitPlan& planned) {
  const std::string_view node =
      planned.fits && !planned.nodes.empty() ? std::string_view(planned.nodes[0]) : "";
  return entry.unit.fits == planned.fits && entry.cause == planned.cause &&
         entry.pods.front().node == node && entry.unit.minimum == unit.minimum &&
         entry.unit.has_open_claims == unit.has_open_claims &&
         Changeable(entry.unit.rank) == Changeable(unit.rank);
}

}  // namespace

UnchangedEntries::UnchangedEntries(const Board* before, std::span<const plan::Unit> units,
                                   std::span<const plan::UnitPlan> plans)
    : before_(before == nullptr ? nullptr : &before->units_),
      seats_(before == nullptr ? nullptr : before->singles_.get()),
      planned_(before == nullptr ? 0 : before->planned_),
      found_(units.size(), kNone),
      is_shared_(before == nullptr ? 0 : before_->size()) {
  for (size_t i = 0; i < units.size(); ++i) {
    found_[i] = Find(units[i], plans[i]);
    if (found_[i] != kNone) is_shared_[found_[i]] = true;
  }
}

// Both boards are in order, so one walk finds what they share.
size_t UnchangedEntries::Find(const plan::Unit& unit, const plan::UnitPlan& planned) {
  if (!IsSingle(unit)) return kNone;
  for (; at_ < planned_; ++at_) {
    const BoardEntry& entry = *(*before_)[at_];
    const PodPtr* const pod = PodOf(entry);
    if (pod != nullptr && *pod == unit.members.front().pod) {
      return SaysTheSame(entry, unit, planned) ? at_++ : kNone;
    }
    if (!(entry.unit.rank < unit.rank)) return kNone;
  }
  return kNone;
}

const std::shared_ptr<const BoardEntry>& UnchangedEntries::Of(size_t i) const {
  static const auto* const none = new std::shared_ptr<const BoardEntry>();
  return found_[i] == kNone ? *none : (*before_)[found_[i]];
}

std::unique_ptr<SeatIndex> UnchangedEntries::Seats() const {
  if (before_ == nullptr) return std::make_unique<SeatIndex>();
  auto seats = std::make_unique<SeatIndex>(*seats_);
  for (size_t i = 0; i < before_->size(); ++i) {
    const BoardEntry& entry = *(*before_)[i];
    if (is_shared_[i] || entry.unit.gang) continue;
    for (const BoardPod& pod : entry.pods) seats->Erase(&pod);
  }
  return seats;
}

}  // namespace outrigger::desk
