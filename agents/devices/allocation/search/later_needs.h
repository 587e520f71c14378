#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"

namespace outrigger::devices {

/// Hall's condition for the first requests of a demand: any of them together must find as many
/// devices as they need, whichever they match. Where nothing but counts is asked, a request that
/// leaves the condition true for those after it is never to be taken back.
///
/// P. Hall, On Representatives of Subsets, 1935. Thread-compatible.
class LaterNeeds {
 public:
  /// More requests are not looked at: sets of requests double with each.
  static constexpr int kMostSlots = 6;

  LaterNeeds(const DemandData& demand, const Ground& ground, const std::vector<int64_t>& spared);

  /// A set of requests that cannot be served together; smallest first; 0: there is none.
  uint32_t ShortSet() const;
  /// How many devices at `place` requests up to `slot` may take and leave enough for later ones.
  /// Below zero: they have too few already.
  int64_t Spare(size_t place, size_t slot) const;
  void Use(size_t place, int64_t count);
  int64_t needed(uint32_t set) const { return need_[set]; }
  int64_t available(uint32_t set) const { return available_[set]; }

 private:
  int slots_ = 0;
  std::vector<uint8_t> wanted_by_;  // by place: bits of requests
  std::array<int64_t, 1 << kMostSlots> need_ = {};
  std::array<int64_t, 1 << kMostSlots> available_ = {};
};

}  // namespace outrigger::devices
