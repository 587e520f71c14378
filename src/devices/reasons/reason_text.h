#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "devices/demand/demand.h"
#include "devices/pools/inventory_state.h"
#include "devices/reasons/best_group.h"
#include "devices/reasons/shortage.h"
#include "devices/search/ground.h"

namespace outrigger::devices {

/// Puts shortages of one demand on one ground into words. The same words for the same state.
class ReasonText {
 public:
  ReasonText(const InventoryState& state, const DemandData& demand, const Ground& ground)
      : state_(state), demand_(demand), ground_(ground) {}

  /// "claim default/c, request claims[1]: 4 gpu on one numa wanted, best has 3 free (1 in use by
  /// default/job-1)".
  std::string Of(const Short& one) const;

 private:
  std::string Wanted(const Slot& slot) const;
  std::string Groups(const Alternative& alternative) const;
  std::string Free(const Alternative& alternative, const Short& one, const BestGroup& best) const;
  std::string AmountLeft(const Alternative& alternative, const BestGroup& best) const;
  std::string NoMatch(const Alternative& alternative) const;
  std::map<std::string, int64_t> UsesIn(const BestGroup& best) const;
  void AddUses(const BestGroup& best, std::vector<std::string>* notes) const;
  void AddCounters(const BestGroup& best, std::vector<std::string>* notes) const;

  const InventoryState& state_;
  const DemandData& demand_;
  const Ground& ground_;
};

}  // namespace outrigger::devices
