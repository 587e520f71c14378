#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "devices/allocation/claim.h"
#include "devices/allocation/inventory.h"
#include "devices/allocation/pool.h"

namespace outrigger::devices {

/// A cluster of one node and the claims of a pod, small enough to try every choice.
struct Case {
  std::vector<Pool> pools;
  std::map<std::string, std::vector<Allocation>> holdings;  // by claim
  std::vector<Claim> claims;
};

inline constexpr const char* kNode = "n";

/// The same case for the same seed: both dialects, match and distinct constraints, counters, shared
/// devices, alternatives, claims for every device, admin access, devices in use.
Case MakeCase(uint64_t seed);

Inventory InventoryOf(const Case& of);

/// The pools and claims in short, for messages.
std::string Describe(const Case& of);

}  // namespace outrigger::devices
