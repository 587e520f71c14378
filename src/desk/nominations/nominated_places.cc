#include "outrigger/desk/nominated_places.h"

namespace outrigger::desk {

void NominatedPlaces::Add(const plan::UnitKey& unit, bool kept) {
  Count& count = units_[unit];
  ++count.places;
  if (kept) ++count.kept;
}

bool NominatedPlaces::HasAll(const plan::UnitKey& unit) const {
  const Count count = Of(unit);
  return count.places > 0 && count.kept == count.places;
}

NominatedPlaces::Count NominatedPlaces::Of(const plan::UnitKey& unit) const {
  const auto found = units_.find(unit);
  return found == units_.end() ? Count() : found->second;
}

NominatedPlaces::Count NominatedPlaces::OfGangs() const {
  Count all;
  for (const auto& [unit, count] : units_) {
    if (unit.dialect == plan::Dialect::kNone) continue;
    all.places += count.places;
    all.kept += count.kept;
  }
  return all;
}

}  // namespace outrigger::desk
