#include "devices/reasons/reasons.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "devices/reasons/reason_text.h"
#include "devices/reasons/shortage.h"
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

}  // namespace

Verdict Explain(const InventoryState& state, const DemandData& demand, const Ground& ground,
                int64_t budget) {
  std::vector<std::string> texts;
  for (const Short& one : FindShortage(demand, ground, budget)) {
    texts.push_back(ReasonText(state, demand, ground).Of(one));
  }
  const std::string text = absl::StrJoin(texts, "; ");
  return FitsWhenEmpty(demand, ground, budget)
             ? Verdict::Rejected("devices in use", "{}", text)
             : Verdict::Unresolvable("no such devices", "{}", text);
}

}  // namespace outrigger::devices
