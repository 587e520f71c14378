#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/takings.h"

namespace outrigger::devices {

/// The order in which a request tries places, so that it breaks few groups: best fit. A group is
/// the devices of one pool that are equal in the attribute that must be equal, or else in the first
/// of `demand.groups`. Groups that have `wanted` devices are first, smallest first; before them,
/// if none has, the largest until one of the others has the rest. Of equal groups the one of which
/// more is in use is first, then the one that is listed first.
///
/// Places of one pool are neighbours, so that pools can be counted. Equal devices of a pool are in
/// one group and keep their order. Places without available devices are left out: none becomes
/// available while the request is served.
///
/// Empty: the listed order serves as well, or is asked for: with admin access, for all devices, and
/// for amounts.
std::vector<size_t> FindFitOrder(const DemandData& demand, const Ground& ground,
                                 const Takings& takings, const Slot& slot,
                                 const Alternative& alternative, int64_t wanted);

}  // namespace outrigger::devices
