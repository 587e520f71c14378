#include "outrigger/plan/claims.h"

namespace outrigger::plan {
namespace {

void Pin(const ClaimWishes& wishes, const std::string& namespace_,
         const std::vector<std::string>& names, Member* member, Unit* unit) {
  for (const std::string& name : names) {
    const auto found = wishes.find({namespace_, name});
    if (found == wishes.end()) continue;
    const ClaimWish& wish = found->second;
    unit->has_open_claims |= wish.open;
    member->pinned.insert(member->pinned.end(), wish.nodes.begin(), wish.nodes.end());
  }
}

void PinUnit(const ClaimTable& claims, Unit* unit) {
  for (Member& member : unit->members) {
    const Pod& pod = *member.pod;
    if (!pod.claims.empty()) Pin(claims.volumes, pod.namespace_, pod.claims, &member, unit);
    if (!pod.resource_claims.empty()) {
      Pin(claims.devices, pod.namespace_, pod.resource_claims, &member, unit);
    }
  }
}

}  // namespace

void PinToClaims(const ClaimTable& claims, std::span<Unit> units) {
  if (claims.volumes.empty() && claims.devices.empty()) return;  // so that no pod is looked at
  for (Unit& unit : units) PinUnit(claims, &unit);
}

}  // namespace outrigger::plan
