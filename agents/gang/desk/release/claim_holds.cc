#include "gang/desk/release/claim_holds.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "gang/desk/nominations/life_signs.h"

namespace outrigger::desk {
namespace {

std::string RefusedFor(const ClaimWishes& known, std::string_view kind, const Pod& pod,
                       const std::string& claim) {
  const auto found = known.find({pod.namespace_, claim});
  const std::string why = found == known.end() ? "is not there" : found->second.refused;
  if (why.empty()) return {};
  return fmt::format("the {} {} of {} {}", kind, claim, pod.name, why);
}

// The first reason of a unit; empty: there is none.
std::string Judge(const ClaimTable& claims, const plan::Unit& unit, RefusedClaims* refused) {
  std::string first;
  for (const plan::Member& member : unit.members) {
    if (member.pod->scheduling_gates.empty()) continue;
    std::string why = RefusedForClaims(claims, *member.pod);
    if (why.empty()) continue;
    if (first.empty()) first = why;
    refused->emplace(member.pod->uid, std::move(why));
  }
  return first;
}

}  // namespace

std::string RefusedForClaims(const ClaimTable& claims, const Pod& pod) {
  for (const std::string& claim : pod.claims) {
    std::string why = RefusedFor(claims.volumes, "PersistentVolumeClaim", pod, claim);
    if (!why.empty()) return why;
  }
  if (claims.device_claims_served) {
    for (const std::string& claim : pod.resource_claims) {
      std::string why = RefusedFor(claims.devices, "ResourceClaim", pod, claim);
      if (!why.empty()) return why;
    }
  }
  if (pod.claims_to_come == 0) return {};
  return fmt::format("a ResourceClaim of {} has not been created from its template yet", pod.name);
}

RefusedClaims HoldForClaims(const ClaimTable& claims, const IsReleased& is_released,
                            std::vector<plan::Unit>* units, std::vector<Resting>* resting) {
  RefusedClaims refused;
  std::erase_if(*units, [&](plan::Unit& unit) {
    std::string why = Judge(claims, unit, &refused);
    if (why.empty() || HasBegun(unit)) return false;
    const auto begins = [&](const plan::Member& member) { return is_released(member.pod->uid); };
    if (std::any_of(unit.members.begin(), unit.members.end(), begins)) return false;
    resting->push_back({std::move(unit), std::move(why), kClaimsLabel});
    return true;
  });
  return refused;
}

}  // namespace outrigger::desk
