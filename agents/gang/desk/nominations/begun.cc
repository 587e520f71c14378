#include "gang/desk/nominations/begun.h"

#include <algorithm>
#include <cstddef>

namespace outrigger::desk {

bool HasBegun(const plan::Unit& unit) {
  return unit.bound > 0 ||
         std::any_of(unit.members.begin(), unit.members.end(), [](const plan::Member& member) {
           return member.pod->scheduling_gates.empty();
         });
}

bool GiveRefusedNodes(const plan::Plan& plan, std::span<plan::Unit> units) {
  bool any = false;
  for (size_t i = 0; i < units.size(); ++i) {
    if (plan.units[i].fits || !HasBegun(units[i])) continue;
    for (plan::Member& member : units[i].members) {
      any |= !member.refused.empty();
      member.refused.clear();
    }
  }
  return any;
}

}  // namespace outrigger::desk
