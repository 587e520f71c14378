#pragma once

#include <cstdint>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/search.h"

namespace outrigger::devices {

/// Devices that one slot is short of.
struct Short {
  size_t slot = 0;
  size_t alternative = 0;  ///< the first one of the slot that they help
  int64_t missing = 0;     ///< with so many more for it, and no fewer, all fit
  bool by_others = false;  ///< it would have more, were it not for the other slots
};

/// The cheapest change that makes a demand fit that does not: the one slot that is short of the
/// fewest devices (the first of several); or, where no single one will do, or fewer devices spread
/// over several slots will, these slots. Devices that are added are of kinds that the cluster has.
/// With one device less for one of them it does not fit; a device that can serve several requests
/// at once (shared, or with admin access) counts for each. All this as long as `steps` suffice; and
/// of more than three slots, or four devices, not every spread is tried.
std::vector<Short> FindShortage(const DemandData& demand, const Ground& ground, Steps* steps);

/// Devices of a ground that match an alternative and are equal in all that it wants equal.
struct BestGroup {
  std::vector<size_t> places;
  int64_t free = 0;
  int64_t total = 0;
};

/// The group with the most free devices; of several the one with more in all, then the first.
/// Empty if none matches.
BestGroup FindBestGroup(const DemandData& demand, const Ground& ground,
                        const Alternative& alternative);

}  // namespace outrigger::devices
