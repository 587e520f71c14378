#pragma once

#include <cstddef>
#include <map>

#include "outrigger/plan/unit.h"

namespace outrigger::desk {

/// Of which units kube-scheduler keeps the places free by itself, as far as one round knows. It
/// counts a nominated pod on its node against pods of equal or lower priority, also while the pod
/// is gated, or its place is still used (docs/desk.md). What lets members go (removes a
/// scheduling gate, say) asks HasAll() first. A plain value; not thread-safe.
class NominatedPlaces {
 public:
  struct Count {
    size_t places = 0;  // that the plan gives to pods of the unit that are not bound
    size_t kept = 0;    // of these, the places that kube-scheduler keeps
  };

  /// A place that the plan gives to a pod of the unit. `kept`: a nomination for it is written and
  /// was not taken back since, or the scheduler has let the pod pass at its last filter call.
  void Add(const plan::UnitKey& unit, bool kept);

  /// True if the unit fits, so that it has places, and all of them are kept.
  bool HasAll(const plan::UnitKey& unit) const;
  /// Nothing: of a unit that has no places.
  Count Of(const plan::UnitKey& unit) const;
  /// Of all units that have places and a gang's dialect.
  Count OfGangs() const;

 private:
  std::map<plan::UnitKey, Count> units_;
};

}  // namespace outrigger::desk
