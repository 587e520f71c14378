#include "plan/shortfall/turned_away.h"

#include <algorithm>
#include <map>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/taint.h"

namespace outrigger::plan {
namespace {

constexpr size_t kLongestTaint = 128;

bool HasAmounts(const NodeSpace& space, const Shape& shape, Slot slot) {
  const int64_t* const row = space.Row(slot);
  return std::all_of(shape.requests.begin(), shape.requests.end(),
                     [row](const Amount& amount) { return row[amount.column] >= amount.value; });
}

std::string TextOf(const Taint& taint) {
  const char* const effect = taint.effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule";
  const std::string value = taint.value.empty() ? "" : "=" + taint.value;
  return Shortened(fmt::format("{}{}:{}", taint.key, value, effect), kLongestTaint);
}

// As MayTake() of a shape; empty where it is for something else.
std::string WhyNot(const Shape& shape, const Node& node) {
  const Pod& pod = *shape.example;
  const Taint* const taint =
      shape.ignores_taints ? nullptr : FindUntoleratedTaint(node.taints, pod.tolerations);
  if (taint != nullptr) {
    return fmt::format("with taint {}, which no toleration covers", TextOf(*taint));
  }
  const bool cordoned =
      node.unschedulable && !shape.ignores_cordons && !ToleratesCordon(pod.tolerations);
  return cordoned ? "cordoned" : "";
}

}  // namespace

std::string TurnedAway(const NodeSpace& space, ShapeIndex index) {
  const Shape& shape = space.shape(index);
  Shape other = shape;  // for which neither is looked at
  other.ignores_taints = other.ignores_cordons = true;
  std::map<std::string, size_t> counts;
  for (const Slot slot : space.in_order()) {
    if (space.MayTake(index, slot) || !HasAmounts(space, shape, slot)) continue;
    if (!MayTake(other, space.node(slot))) continue;
    std::string why = WhyNot(shape, space.node(slot));
    if (!why.empty()) ++counts[std::move(why)];
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(counts.begin(), counts.end(), fewer);
  if (most == counts.end()) return {};
  return fmt::format("not counted: {} node{} with room, {}", most->second,
                     most->second == 1 ? "" : "s", most->first);
}

}  // namespace outrigger::plan
