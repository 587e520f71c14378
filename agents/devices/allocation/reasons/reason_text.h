#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/reasons/shortage.h"
#include "devices/allocation/reasons/suppositions.h"
#include "devices/allocation/search/ground.h"

namespace outrigger::devices {

/// Changes each of which makes a demand fit that does not. Each is the cheapest of its kind.
struct Remedies {
  std::vector<Short> more;             ///< devices in addition, all of these together
  std::vector<std::string> give_back;  ///< claims that give back what they hold; empty: no help
  std::optional<Raise> counter;        ///< of a pool
  std::optional<Raise> resource;       ///< of a device
};

/// Puts what would make one demand fit on one ground into words. The same words for the same state.
class ReasonText {
 public:
  ReasonText(const InventoryState& state, const DemandData& demand, const Ground& ground,
             const Remedies& remedies)
      : state_(state), demand_(demand), ground_(ground), remedies_(remedies) {}

  /// "claim default/c, request claims[1]: 4 gpu on one numa wanted, best has 3 free (1 in use by
  /// default/job-1)". With 4 - 3 devices more it fits; or once the claims named give back what they
  /// hold; or with so much more of the counter or the resource of which something is short. Where
  /// it fits even on empty pools no more than on these, claims are named only if what they hold is
  /// plainly too little.
  std::string All() const;

 private:
  using Notes = std::vector<std::string>;
  using Uses = std::map<std::string, int64_t>;

  std::string Of(size_t index) const;
  const Alternative& AlternativeOf(const Short& one) const {
    return demand_.slots[one.slot].alternatives[one.alternative];
  }
  std::string Wanted(const Slot& slot, const Alternative& alternative) const;
  std::string Groups(const Alternative& alternative) const;
  std::string Free(const Alternative& alternative, const Short& one) const;
  void AddMissingResources(const Alternative& alternative, const BestGroup& best,
                           Notes* notes) const;
  void AddFailures(const Alternative& alternative, Notes* notes) const;
  void AddMismatches(const Alternative& alternative, Notes* notes) const;
  Uses UsesIn(const BestGroup& best) const;
  Uses UsesOfAll() const;
  void AddUses(size_t index, const BestGroup& best, Notes* notes) const;
  void AddNames(const Uses& uses, Notes* notes) const;
  void AddRaises(Notes* notes) const;
  size_t HomeOf(const std::string& claim) const;

  const InventoryState& state_;
  const DemandData& demand_;
  const Ground& ground_;
  const Remedies& remedies_;
};

}  // namespace outrigger::devices
