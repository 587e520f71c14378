#include "devices/commands/claims/holdings.h"

#include <set>

#include "devices/objects/objects.h"
#include "fmt/format.h"

namespace outrigger::cli {

using devices::ClaimObject;

DeviceUse FindDeviceUse(const DeviceObjects& objects,
                        const std::vector<const ClaimObject*>& asked) {
  DeviceUse use;
  for (const devices::PoolObject& pool : objects.pools) use.inventory.SetPool(pool.pool);
  for (const devices::ClassObject& of : objects.classes) use.inventory.SetClass(of.of);
  for (const devices::Driver& driver : objects.drivers) use.inventory.SetDriver(driver);
  std::set<std::string> known;  // claims whose status counts, and asked ones
  for (const ClaimObject* claim : asked) known.insert(devices::NameOf(claim->claim));
  for (const ClaimObject& claim : objects.claims) {
    if (claim.claim.allocations.empty() || claim.privileged) continue;
    const std::string name = devices::NameOf(claim.claim);
    known.insert(name);
    use.held[name] = HoldingOf(claim);
  }
  for (const devices::PoolObject& pool : objects.pools) {
    for (const devices::PoolEntry& entry : pool.entries) {
      const std::string name = fmt::format("{}/{}", entry.claim_namespace, entry.claim_name);
      if (known.contains(name)) continue;
      std::vector<devices::Allocation>& held = use.held[name];
      held.insert(held.end(), entry.holding.begin(), entry.holding.end());
    }
  }
  for (const auto& [claim, held] : use.held) use.inventory.SetHolding(claim, held);
  return use;
}

}  // namespace outrigger::cli
