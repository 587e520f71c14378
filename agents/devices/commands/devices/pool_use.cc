#include "devices/commands/devices/pool_use.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "devices/commands/claims/holdings.h"

namespace outrigger::cli {
namespace {

using PodsByClaim = std::map<std::string, std::vector<std::string>>;

PodsByClaim FindPods(const DeviceObjects& objects) {
  PodsByClaim pods;
  for (const devices::ClaimObject& claim : objects.claims) {
    if (!claim.privileged) pods[devices::NameOf(claim.claim)] = claim.claim.pods;
  }
  return pods;
}

ClaimUse UseOf(const std::string& claim, const std::string& pool,
               const std::vector<devices::Allocation>& held) {
  ClaimUse use;
  use.claim = claim;
  for (const devices::Allocation& one : held) {
    if (one.pool != pool) continue;
    use.count += one.count;
    if (!one.device.empty()) use.devices.push_back(one.device);
  }
  return use;
}

}  // namespace

std::vector<PoolUseView> FindPoolUses(const DeviceObjects& objects) {
  const DeviceUse all = FindDeviceUse(objects, {});
  const PodsByClaim pods = FindPods(objects);
  std::vector<PoolUseView> views;
  for (const devices::PoolObject& object : objects.pools) {
    const devices::Pool& pool = object.pool;
    const devices::PoolUse use = all.inventory.UseOf(pool.name);
    PoolUseView view{pool.name, pool.node, pool.driver,
                     use.total, use.used,  std::string(all.inventory.FaultOf(pool.name)),
                     {}};
    for (const std::string& claim : use.claims) {
      ClaimUse& of_claim = view.claims.emplace_back(UseOf(claim, pool.name, all.held.at(claim)));
      if (const auto at = pods.find(claim); at != pods.end()) of_claim.pods = at->second;
    }
    views.push_back(std::move(view));
  }
  std::sort(views.begin(), views.end(), [](const PoolUseView& a, const PoolUseView& b) {
    return std::tie(a.node, a.name) < std::tie(b.node, b.name);
  });
  return views;
}

}  // namespace outrigger::cli
