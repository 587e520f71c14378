#include "gang/plan/claims.h"

#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace outrigger::plan {
namespace {

// How many members use a claim, by its name: all are of one namespace.
using Uses = absl::flat_hash_map<std::string_view, int>;

Uses UsesOf(const Unit& unit) {
  Uses uses;
  for (const Member& member : unit.members) {
    for (const std::string& claim : member.pod->claims) ++uses[claim];
  }
  return uses;
}

NodeSelector Only(const std::string& node) {
  NodeSelector selector;
  selector.terms.emplace_back().match_fields.push_back(
      {"metadata.name", SelectorOperator::kIn, {node}});
  return selector;
}

void Pin(const ClaimWish& wish, bool is_shared, Member* member, Unit* unit) {
  unit->has_open_claims |= wish.open;
  member->pinned.insert(member->pinned.end(), wish.nodes.begin(), wish.nodes.end());
  // Who shares a volume that is being made has to wait until it is there, but not on that node:
  // nobody's place is taken for that.
  if (!wish.made_for.empty() && !is_shared) member->pinned.push_back(Only(wish.made_for));
}

void PinUnit(const ClaimTable& claims, Unit* unit) {
  const Uses uses = UsesOf(*unit);
  for (Member& member : unit->members) {
    const Pod& pod = *member.pod;
    for (const std::string& name : pod.claims) {
      const auto found = claims.volumes.find({pod.namespace_, name});
      if (found != claims.volumes.end()) Pin(found->second, uses.at(name) > 1, &member, unit);
    }
    for (const std::string& name : pod.resource_claims) {
      const auto found = claims.devices.find({pod.namespace_, name});
      if (found != claims.devices.end()) Pin(found->second, false, &member, unit);
    }
  }
}

}  // namespace

void PinToClaims(const ClaimTable& claims, std::span<Unit> units) {
  if (claims.volumes.empty() && claims.devices.empty()) return;  // so that no pod is looked at
  for (Unit& unit : units) PinUnit(claims, &unit);
}

}  // namespace outrigger::plan
