#include "plan/round/kept_places.h"

#include <algorithm>
#include <utility>

namespace outrigger::plan {
namespace {

const std::string& PlaceOf(const Member& member) {
  return member.waits_on.empty() ? member.reserved : member.waits_on;
}

}  // namespace

// A single pod loses nothing by another place.
bool HasKeptPlaces(const Unit& unit) {
  return unit.key.dialect != Dialect::kNone &&
         std::any_of(unit.members.begin(), unit.members.end(),
                     [](const Member& member) { return !PlaceOf(member).empty(); });
}

void KeptPlaces::Learn(std::span<const Unit> units) {
  for (size_t i = 0; i < units.size(); ++i) {
    if (!HasKeptPlaces(units[i])) continue;
    Keeper keeper{i, {}, {}};
    for (const Member& member : units[i].members) {
      const std::string& node = PlaceOf(member);
      const Slot slot = node.empty() ? kNoSlot : space_->Find(node);
      if (slot != kNoSlot) keeper.places.push_back({shapes_->Of(member), slot});
    }
    keepers_.push_back(std::move(keeper));
  }
}

bool KeptPlaces::GiveUp(Keeper* keeper) {
  for (const Place& place : keeper->kept) space_->Give(place.shape, place.slot, 1);
  return !std::exchange(keeper->kept, {}).empty();
}

bool KeptPlaces::KeepFrom(size_t next) {
  bool freed = false;
  for (; first_ < keepers_.size() && keepers_[first_].unit < next; ++first_) {
    freed |= GiveUp(&keepers_[first_]);
  }
  if (std::exchange(keeps_, true)) return freed;
  for (size_t i = first_; i < keepers_.size(); ++i) {
    for (const Place& place : keepers_[i].places) {
      if (!space_->HasRoom(place.shape, place.slot)) continue;
      space_->Take(place.shape, place.slot, 1);
      keepers_[i].kept.push_back(place);
    }
  }
  return freed;
}

bool KeptPlaces::Release() {
  keeps_ = false;
  bool freed = false;
  for (size_t i = first_; i < keepers_.size(); ++i) freed |= GiveUp(&keepers_[i]);
  return freed;
}

}  // namespace outrigger::plan
