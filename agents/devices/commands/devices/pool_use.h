#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/commands/claims/device_objects.h"

namespace outrigger::cli {

/// What one claim has of a pool.
struct ClaimUse {
  std::string claim;  ///< "namespace/name"
  int64_t count = 0;
  std::vector<std::string> devices;  ///< names; none in a pool that counts
  std::vector<std::string> pods;     ///< names of the pods that use the claim, as its status has it
};

/// A pool, and what is in use of it. Devices that serve several claims count as used once.
struct PoolUseView {
  std::string name;
  std::string node;  ///< empty: attached to the network
  std::string driver;
  int64_t total = 0;
  int64_t used = 0;
  std::string fault;             ///< why it offers nothing; empty: it is valid
  std::vector<ClaimUse> claims;  ///< by name
};

/// All pools, by node and name.
std::vector<PoolUseView> FindPoolUses(const DeviceObjects& objects);

}  // namespace outrigger::cli
