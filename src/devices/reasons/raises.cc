#include "devices/reasons/raises.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace outrigger::devices {
namespace {

// Pools and devices that are tried.
constexpr int kMostStores = 32;

Amount Gcd(Amount a, Amount b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

/// What raises of one store are worth a look: those after which `left` is a multiple of `step`, at
/// most `most`.
struct Range {
  Raise raise;
  Amount left = 0;
  Amount step = 0;
  Amount most = 0;
};

/// Finds the smallest raise over several stores.
class Smallest {
 public:
  explicit Smallest(Suppositions* suppositions) : suppositions_(suppositions) {}

  void Try(const Range& range);
  const std::optional<Raise>& best() const { return best_; }

 private:
  Suppositions* const suppositions_;
  int tried_ = 0;
  std::optional<Raise> best_;
};

void Smallest::Try(const Range& range) {
  if (range.step == 0 || range.most <= range.left || tried_ >= kMostStores) return;
  ++tried_;
  Raise raise = range.raise;
  const auto fits = [&](Amount multiple) {
    raise.by = multiple * range.step - range.left;
    return suppositions_->FitsWith(raise);
  };
  // Rounded down: what is left may be below zero, and no multiple.
  Amount too_little = range.left / range.step - (range.left % range.step < 0 ? 1 : 0);
  Amount enough = (range.most + range.step - 1) / range.step;
  if (best_.has_value()) enough = std::min(enough, (best_->by + range.left - 1) / range.step);
  if (enough <= too_little || !fits(enough)) return;
  while (enough - too_little > 1) {
    const Amount middle = too_little + (enough - too_little) / 2;
    (fits(middle) ? enough : too_little) = middle;
  }
  raise.by = enough * range.step - range.left;
  best_ = raise;
}

// With room for all of its devices at once a counter is no limit.
Range RangeOf(const Ground& ground, size_t stock, size_t counter) {
  const Stock& of = *ground.stocks()[stock];
  Range range;
  range.raise = {.stock = stock, .run = {}, .store = counter};
  range.left = ground.LeftOf(of.counters()[counter]);
  for (size_t run = 0; run < of.runs().size(); ++run) {
    for (const Take& take : of.TakesOf(run)) {
      if (take.counter != static_cast<int32_t>(counter)) continue;
      range.step = Gcd(range.step, take.amount);
      range.most += take.amount * of.runs()[run].total;
    }
  }
  return range;
}

/// All that a demand wishes of one resource.
struct Wished {
  Amount sum = 0;
  Amount gcd = 0;
  int64_t devices = 0;
};

Wished WishedOf(const DemandData& demand, const std::string& resource) {
  Wished wished;
  for (const Slot& slot : demand.slots) {
    for (const Alternative& one : slot.alternatives) {
      for (const Wish& wish : one.wishes) {
        if (wish.resource != resource) continue;
        wished.sum += wish.amount;
        wished.gcd = Gcd(wished.gcd, wish.amount);
        wished.devices += 1;
      }
    }
  }
  return wished;
}

// What other devices give makes a difference, too, where they give any amount.
Amount StepOf(const Ground& ground, const Wished& wished, const Store& store) {
  if (store.block > 0) return store.block;
  Amount step = wished.gcd;
  for (const Ground::Place& place : ground.places()) {
    for (const Store& other : ground.ResourcesOf(place)) {
      if (other.name != store.name) continue;
      step = Gcd(step, other.block > 0 ? other.block : ground.LeftOf(other));
      step = Gcd(step, other.capacity);
    }
  }
  return step;
}

}  // namespace

std::optional<Raise> FindCounterRaise(const Ground& ground, Suppositions* suppositions) {
  Smallest smallest(suppositions);
  for (size_t stock = 0; stock < ground.stocks().size(); ++stock) {
    const size_t counters = ground.stocks()[stock]->counters().size();
    for (size_t i = 0; i < counters; ++i) smallest.Try(RangeOf(ground, stock, i));
  }
  return smallest.best();
}

std::optional<Raise> FindResourceRaise(const DemandData& demand, const Ground& ground,
                                       Suppositions* suppositions) {
  Smallest smallest(suppositions);
  for (const Ground::Place& place : ground.places()) {
    const std::vector<Store>& stores = ground.ResourcesOf(place);
    for (size_t i = 0; i < stores.size(); ++i) {
      const Wished wished = WishedOf(demand, stores[i].name);
      if (wished.devices == 0) continue;
      Range range;
      range.raise = {.stock = static_cast<size_t>(place.pool),
                     .run = static_cast<size_t>(place.index),
                     .store = i};
      range.left = ground.LeftOf(stores[i]);
      range.step = StepOf(ground, wished, stores[i]);
      // Each of them rounded up.
      range.most = wished.sum + wished.devices * stores[i].block;
      smallest.Try(range);
    }
  }
  return smallest.best();
}

}  // namespace outrigger::devices
