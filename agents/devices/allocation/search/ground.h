#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "devices/allocation/model/amount.h"
#include "devices/allocation/pools/stock.h"

namespace outrigger::devices {

/// What devices an allocation may choose from: those in use by no claim, or all.
enum class Contents : uint8_t { kFree, kAll };

/// The runs of all pools that serve one node, in the order in which they are tried. Pools must
/// outlive it. Thread-compatible.
class Ground {
 public:
  struct Place {
    const Run* run = nullptr;
    int32_t pool = 0;       ///< index in stocks()
    int32_t index = 0;      ///< of the run in its pool
    int32_t previous = -1;  ///< the place of run->previous
    int64_t free = 0;
  };

  Ground(std::span<const Stock* const> of_node, std::span<const Stock* const> of_network,
         Contents contents);

  const std::vector<const Stock*>& stocks() const { return stocks_; }
  const std::vector<Place>& places() const { return places_; }
  Contents contents() const { return contents_; }
  /// Index of the first counter of a pool in `counters()`.
  int32_t FirstCounter(int32_t pool) const { return first_counter_[static_cast<size_t>(pool)]; }
  /// What is left of each counter of each pool.
  const std::vector<Amount>& counters() const { return counters_; }

  const std::vector<Take>& TakesOf(const Place& place) const {
    return StockOf(place).TakesOf(static_cast<size_t>(place.index));
  }
  const std::vector<Store>& ResourcesOf(const Place& place) const {
    return StockOf(place).ResourcesOf(static_cast<size_t>(place.index));
  }
  const Stock& StockOf(const Place& place) const {
    return *stocks_[static_cast<size_t>(place.pool)];
  }
  /// Claims that already use the device of a shared place.
  int32_t UsersOf(const Place& place) const {
    return contents_ == Contents::kAll ? 0
                                       : StockOf(place).UsersOf(static_cast<size_t>(place.index));
  }
  Amount LeftOf(const Store& store) const {
    return contents_ == Contents::kAll ? store.capacity : store.left;
  }

 private:
  void Add(const Stock& stock);

  const Contents contents_;
  std::vector<const Stock*> stocks_;
  std::vector<Place> places_;
  std::vector<int32_t> first_counter_;
  std::vector<Amount> counters_;
};

}  // namespace outrigger::devices
