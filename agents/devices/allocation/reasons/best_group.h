#pragma once

#include <cstdint>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"

namespace outrigger::devices {

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
