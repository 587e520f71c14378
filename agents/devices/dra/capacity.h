#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "devices/dra/objects.h"

// What a request takes of a device's capacities. As upstream's consumable_capacity.go, v0.37.

namespace outrigger::dra {

/// What `asked` takes of each capacity of `device`: rounded up as its policies say, by default what
/// they say, else all of it. OutOfRange: an amount cannot be counted with, which ends
/// kube-scheduler's cycle.
absl::StatusOr<Quantities> Consumed(const Quantities& asked, const Device& device);

/// Why `consumed` is no amount that `device` may give, or more than is left besides `used`:
/// "memory: 8Gi wanted, 4Gi left". Empty: it may.
std::string WhyNotEnough(const Quantities& asked, const Quantities& consumed, const Device& device,
                         const Quantities& used);

}  // namespace outrigger::dra
