#pragma once

#include <optional>
#include <string>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"

namespace outrigger::devices {

/// Tries every choice of devices for a case, by code of its own. Nothing: it does not fit. Else the
/// fewest pairs of claim and pool that claims of the count dialect can do with.
std::optional<int> TryEveryChoice(const Case& of);

/// Checks an allocation against the objects alone: what is given is there, free, wanted, within
/// counts, counters and capacities, and keeps all constraints. Empty: it is right.
std::string FindFault(const Case& of, const Answer& answer);

}  // namespace outrigger::devices
