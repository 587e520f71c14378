#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "devices/demand/demand.h"
#include "devices/model/amount.h"
#include "devices/pools/inventory_state.h"
#include "devices/pools/stock.h"
#include "devices/search/ground.h"

namespace outrigger::devices {

/// A counter of a pool, or an own resource of a device, that is made larger.
struct Raise {
  size_t stock = 0;           ///< index in Ground::stocks()
  std::optional<size_t> run;  ///< of the device; nothing: a counter of the pool
  size_t store = 0;           ///< index of the counter or resource
  Amount by = 0;
};

/// Whether a demand fits on a ground in which something is different: searches on copies of the
/// pools that change. All of them together spend about `budget` steps, one of them a part of that;
/// a search that would need more says that it does not fit.
/// For one demand on one ground; both must outlive it. Thread-compatible.
class Suppositions {
 public:
  Suppositions(const InventoryState& state, const DemandData& demand, const Ground& ground,
               int64_t budget)
      : state_(state), demand_(demand), ground_(ground), most_(budget / 8), left_(budget) {}

  /// If these claims gave back what they hold.
  bool FitsWithout(const ClaimNames& claims);
  bool FitsWith(const Raise& raise);

 private:
  Stock* CopyOf(size_t stock);
  bool Fits(const std::vector<const Stock*>& stocks);

  const InventoryState& state_;
  const DemandData& demand_;
  const Ground& ground_;
  const int64_t most_;  // of one search
  int64_t left_;        // of all
  std::map<size_t, Stock> copies_;
};

}  // namespace outrigger::devices
