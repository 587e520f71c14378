#include "gang/desk/nominated_places.h"

namespace outrigger::desk {

void NominatedPlaces::Add(const plan::UnitKey& unit, bool kept) {
  Count& count = units_[unit];
  ++count.places;
  if (kept) ++count.kept;
}

void NominatedPlaces::NeedsNone(const plan::UnitKey& unit) {
  units_[unit].needs_none = true;
}

bool NominatedPlaces::AreOwn(const plan::UnitKey& unit) const {
  const Count count = Of(unit);
  return count.places > 0 && (count.needs_none || count.kept == count.places);
}

NominatedPlaces::Count NominatedPlaces::Of(const plan::UnitKey& unit) const {
  const auto found = units_.find(unit);
  return found == units_.end() ? Count() : found->second;
}

}  // namespace outrigger::desk
