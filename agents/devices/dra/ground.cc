#include "devices/dra/ground.h"

#include <algorithm>

namespace outrigger::dra {
namespace {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  return (!toleration.effect || *toleration.effect == taint.effect) &&
         (toleration.key.empty() || toleration.key == taint.key) &&
         (toleration.op == Toleration::Operator::kExists ||
          (toleration.op == Toleration::Operator::kEqual && toleration.value == taint.value));
}

size_t IndexOf(const Counters& counters, std::string_view set, std::string_view counter) {
  const auto found = std::find(counters.names.begin(), counters.names.end(),
                               std::pair<std::string_view, std::string_view>{set, counter});
  return static_cast<size_t>(found - counters.names.begin());
}

std::vector<std::pair<size_t, Quantity>> TakenBy(const Device& device, const Counters& counters) {
  std::vector<std::pair<size_t, Quantity>> taken;
  for (const CounterSet& consumed : device.consumes) {
    for (const auto& [name, amount] : consumed.counters) {
      taken.emplace_back(IndexOf(counters, consumed.name, name), amount);
    }
  }
  return taken;
}

}  // namespace

Ground::Ground(const Slices& slices, const Holdings& holdings, const Node& node,
               const std::set<std::string>& without)
    : node_(node), pools_(slices.PoolsOf(node)), counters_(pools_.size()) {
  for (size_t pool = 0; pool < pools_.size(); ++pool) {
    if (!pools_[pool].usable()) continue;
    AddCounters(pool, holdings, without);
    AddSpots(pool, holdings, without);
  }
}

void Ground::AddCounters(size_t pool, const Holdings& holdings,
                         const std::set<std::string>& without) {
  const Pool& of = pools_[pool];
  Counters& counters = counters_[pool];
  for (const CounterSet* set : of.counters) {
    for (const auto& [name, amount] : set->counters) {
      counters.names.emplace_back(set->name, name);
      counters.left.push_back(amount);
    }
  }
  if (counters.names.empty()) return;
  for (const auto* each : {&of.slices, &of.elsewhere}) {
    for (const Slice* slice : *each) {
      for (const Device& device : slice->devices) {
        const Use* use = holdings.Of(of.driver, of.name, device.name);
        if (!Counted(use, without).any()) continue;
        for (const auto& [index, amount] : TakenBy(device, counters)) {
          counters.left[index] -= amount;
        }
      }
    }
  }
}

void Ground::AddSpots(size_t pool, const Holdings& holdings, const std::set<std::string>& without) {
  const Pool& of = pools_[pool];
  for (const Slice* slice : of.slices) {
    for (const Device& device : slice->devices) {
      Spot& spot = spots_.emplace_back();
      spot.slice = slice;
      spot.device = &device;
      spot.use = holdings.Of(of.driver, of.name, device.name);
      spot.in_use = Counted(spot.use, without);
      spot.pool = pool;
      spot.here = !slice->per_device || Matches(device.nodes, node_);
      spot.consumes = TakenBy(device, counters_[pool]);
    }
  }
}

const AttributeValue* AttributeOf(const Device& device, std::string_view driver,
                                  std::string_view name) {
  auto found = device.attributes.find(name);
  if (found == device.attributes.end()) {
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos || name.substr(0, slash) != driver) return nullptr;
    found = device.attributes.find(name.substr(slash + 1));
  }
  return found == device.attributes.end() ? nullptr : &found->second;
}

int HinderingTaint(const Device& device, const Ask& ask) {
  for (size_t i = 0; i < device.taints.size(); ++i) {
    const Taint& taint = device.taints[i];
    const bool tolerated =
        taint.effect == TaintEffect::kNone ||
        std::any_of(ask.tolerations.begin(), ask.tolerations.end(),
                    [&taint](const Toleration& each) { return Tolerates(each, taint); });
    if (!tolerated) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace outrigger::dra
