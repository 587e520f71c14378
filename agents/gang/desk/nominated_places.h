#pragma once

#include <cstddef>
#include <map>

#include "gang/plan/unit.h"

namespace outrigger::desk {

/// Of which units the places are their own, as far as one round knows. kube-scheduler counts a
/// nominated pod on its node against pods of equal or lower priority, also while the pod is gated,
/// or its place is still used (docs/desk.md). Without nominations a unit takes its places where no
/// other pod waits that could. What lets members go (removes a scheduling gate, say) asks AreOwn()
/// first. A plain value; not thread-safe.
class NominatedPlaces {
 public:
  struct Count {
    size_t places = 0;  // that the plan gives to pods of the unit that are not bound
    size_t kept = 0;    // of these, the places that kube-scheduler keeps
    bool needs_none = false;
  };

  /// A place that the plan gives to a pod of the unit. `kept`: a nomination for it is written and
  /// was not taken back since, or the scheduler has let the pod pass at its last filter call.
  void Add(const plan::UnitKey& unit, bool kept);
  /// The unit takes its places without nominations.
  void NeedsNone(const plan::UnitKey& unit);

  /// True if the unit fits, so that it has places, and all of them are kept or need not be.
  bool AreOwn(const plan::UnitKey& unit) const;
  /// Nothing: of a unit that has no places.
  Count Of(const plan::UnitKey& unit) const;

 private:
  std::map<plan::UnitKey, Count> units_;
};

}  // namespace outrigger::desk
