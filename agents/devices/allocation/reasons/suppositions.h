#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/model/amount.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/pools/stock.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/search.h"

namespace outrigger::devices {

/// A counter of a pool, or an own resource of a device, that is made larger.
struct Raise {
  size_t stock = 0;           ///< index in Ground::stocks()
  std::optional<size_t> run;  ///< of the device; nothing: a counter of the pool
  size_t store = 0;           ///< index of the counter or resource
  Amount by = 0;
};

/// Whether a demand fits on a ground in which something is different: searches on copies of the
/// pools that change. A search for which `steps` do not suffice says that it does not fit.
/// For one demand on one ground; both must outlive it. Thread-compatible.
class Suppositions {
 public:
  Suppositions(const InventoryState& state, const DemandData& demand, const Ground& ground,
               Steps* steps)
      : state_(state), demand_(demand), ground_(ground), steps_(*steps) {}

  /// If these claims gave back what they hold.
  bool FitsWithout(const ClaimNames& claims);
  bool FitsWith(const Raise& raise);

 private:
  Stock* CopyOf(size_t stock);
  bool Fits(const std::vector<const Stock*>& stocks);

  const InventoryState& state_;
  const DemandData& demand_;
  const Ground& ground_;
  Steps& steps_;
  std::map<size_t, Stock> copies_;
};

}  // namespace outrigger::devices
