#include "devices/reasons/reasons.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "devices/reasons/give_back.h"
#include "devices/reasons/raises.h"
#include "devices/reasons/reason_text.h"
#include "devices/reasons/remedies.h"
#include "devices/reasons/shortage.h"
#include "devices/reasons/suppositions.h"
#include "devices/search/search.h"

namespace outrigger::devices {
namespace {

bool IsAnythingUsed(const Ground& ground) {
  for (const Stock* stock : ground.stocks()) {
    if (stock->used() > 0) return true;
  }
  return false;
}

// The pools of `ground` with nothing in use.
bool FitsWhenEmpty(const DemandData& demand, const Ground& ground, int64_t budget) {
  if (!IsAnythingUsed(ground)) return false;
  const Ground empty(ground.stocks(), {}, Contents::kAll);
  return Search(demand, empty).Find(budget) == Outcome::kFits;
}

// How many devices a claim that gives something back must give at least. Where devices are shared,
// or take of counters, one that comes back can serve for several.
int64_t FewestDevices(const DemandData& demand, const Ground& ground, const Short& one) {
  const Slot& slot = demand.slots[one.slot];
  if (demand.slots.size() > 1) return 1;
  if (std::any_of(slot.alternatives.begin(), slot.alternatives.end(),
                  [](const Alternative& of) { return of.all; })) {
    return 1;
  }
  for (const Ground::Place& place : ground.places()) {
    if (place.run->shared || !ground.TakesOf(place).empty()) return 1;
  }
  return one.missing;
}

// The first request that no devices could ever serve.
std::optional<size_t> FindContradiction(const DemandData& demand) {
  for (size_t i = 0; i < demand.slots.size(); ++i) {
    const std::vector<Alternative>& all = demand.slots[i].alternatives;
    if (std::all_of(all.begin(), all.end(), [](const auto& one) { return one.contradicts; })) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

Verdict Explain(const InventoryState& state, const DemandData& demand, const Ground& ground,
                int64_t budget) {
  Remedies remedies;
  if (const auto slot = FindContradiction(demand); slot.has_value()) {
    remedies.more.push_back({.slot = *slot});
    return Verdict::Unresolvable("contradiction", "{}",
                                 ReasonText(state, demand, ground, remedies).All());
  }
  remedies.more = FindShortage(demand, ground, budget);
  Suppositions suppositions(state, demand, ground, budget);
  const bool is_in_use = FitsWhenEmpty(demand, ground, budget);
  if (is_in_use) {
    remedies.give_back = FindGiveBack(state, ground, &suppositions,
                                      FewestDevices(demand, ground, remedies.more.front()));
  }
  remedies.counter = FindCounterRaise(ground, &suppositions);
  remedies.resource = FindResourceRaise(demand, ground, &suppositions);
  const std::string text = ReasonText(state, demand, ground, remedies).All();
  return is_in_use ? Verdict::Rejected("devices in use", "{}", text)
                   : Verdict::Unresolvable("no such devices", "{}", text);
}

}  // namespace outrigger::devices
