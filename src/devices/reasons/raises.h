#pragma once

#include <optional>

#include "devices/demand/demand.h"
#include "devices/reasons/suppositions.h"
#include "devices/search/ground.h"

namespace outrigger::devices {

/// The smallest raise of one counter of a pool that makes a demand fit that does not: the first of
/// several. Nothing: there is none, or the steps ran out.
std::optional<Raise> FindCounterRaise(const Ground& ground, Suppositions* suppositions);

/// The same of an own resource of one device.
std::optional<Raise> FindResourceRaise(const DemandData& demand, const Ground& ground,
                                       Suppositions* suppositions);

}  // namespace outrigger::devices
