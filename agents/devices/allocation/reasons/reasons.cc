#include "devices/allocation/reasons/reasons.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/reasons/reason_text.h"
#include "devices/allocation/reasons/shortage.h"
#include "devices/allocation/reasons/suppositions.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/search.h"

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

// The smallest raise of one counter of a pool that makes a demand fit that does not: the first of
// several. Nothing: there is none, or the steps ran out.
std::optional<Raise> FindCounterRaise(const Ground& ground, Suppositions* suppositions) {
  Smallest smallest(suppositions);
  for (size_t stock = 0; stock < ground.stocks().size(); ++stock) {
    const size_t counters = ground.stocks()[stock]->counters().size();
    for (size_t i = 0; i < counters; ++i) smallest.Try(RangeOf(ground, stock, i));
  }
  return smallest.best();
}

// The same of an own resource of one device.
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

// Searches, and sets of one size that are looked at at all.
constexpr int kMostSearches = 64;
constexpr int kMostSets = 1024;

struct Holder {
  std::string claim;
  int64_t devices = 0;
};

// Fewest devices first.
std::vector<Holder> HoldersOf(const InventoryState& state, const Ground& ground) {
  std::map<std::string, int64_t> devices;
  for (const Stock* stock : ground.stocks()) {
    for (const auto& [claim, held] : state.HoldingsOf(stock->pool().name)) {
      for (const Allocation& one : held) devices[claim] += one.count;
    }
  }
  std::vector<Holder> holders;
  holders.reserve(devices.size());
  for (const auto& [claim, count] : devices) holders.push_back({claim, count});
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.devices < b.devices; });
  return holders;
}

/// Looks for the claims. For one demand on one ground.
class GiveBack {
 public:
  GiveBack(std::vector<Holder> holders, Suppositions* suppositions)
      : holders_(std::move(holders)), suppositions_(suppositions) {}

  std::vector<std::string> Find(int64_t at_least);

 private:
  using Chosen = std::vector<size_t>;  // indices of holders_, ascending

  bool Fits(const Chosen& chosen);
  size_t FewestThatHold(int64_t devices) const;
  int64_t DevicesOf(const Chosen& chosen) const;
  bool Next(Chosen* chosen) const;
  bool IsTooMany() const { return tried_ >= kMostSearches; }
  std::optional<Chosen> BestOf(size_t size);
  Chosen WithoutNeedless();

  const std::vector<Holder> holders_;
  Suppositions* const suppositions_;
  int tried_ = 0;
};

bool GiveBack::Fits(const Chosen& chosen) {
  ++tried_;
  ClaimNames claims;
  for (const size_t index : chosen) claims.insert(holders_[index].claim);
  return suppositions_->FitsWithout(claims);
}

size_t GiveBack::FewestThatHold(int64_t devices) const {
  size_t fewest = 0;
  for (auto at = holders_.rbegin(); at != holders_.rend() && devices > 0; ++at, ++fewest) {
    devices -= at->devices;
  }
  return std::max<size_t>(fewest, 1);
}

int64_t GiveBack::DevicesOf(const Chosen& chosen) const {
  int64_t sum = 0;
  for (const size_t index : chosen) sum += holders_[index].devices;
  return sum;
}

// The next set of as many, in lexicographic order; false after the last.
bool GiveBack::Next(Chosen* chosen) const {
  size_t at = chosen->size();
  while (at > 0 && (*chosen)[at - 1] == holders_.size() - (chosen->size() - at) - 1) --at;
  if (at == 0) return false;
  size_t index = ++(*chosen)[at - 1];
  for (; at < chosen->size(); ++at) (*chosen)[at] = ++index;
  return true;
}

// Of the sets of `size` claims that will do the one that holds the fewest devices.
std::optional<GiveBack::Chosen> GiveBack::BestOf(size_t size) {
  std::optional<Chosen> best;
  Chosen chosen;
  for (size_t i = 0; i < size; ++i) chosen.push_back(i);
  int sets = 0;
  do {
    if (++sets > kMostSets) break;
    if (best.has_value() && DevicesOf(chosen) >= DevicesOf(*best)) continue;
    if (IsTooMany()) break;
    if (Fits(chosen)) best = chosen;
  } while (Next(&chosen));
  return best;
}

// Those that hold the most, as many as it takes, without those that turn out not to be needed.
GiveBack::Chosen GiveBack::WithoutNeedless() {
  const auto most = [this](size_t count) {
    Chosen chosen;
    for (size_t i = holders_.size() - count; i < holders_.size(); ++i) chosen.push_back(i);
    return chosen;
  };
  size_t too_few = 0;
  size_t enough = holders_.size();
  while (enough - too_few > 1) {
    const size_t middle = too_few + (enough - too_few) / 2;
    (Fits(most(middle)) ? enough : too_few) = middle;
  }
  Chosen chosen = most(enough);
  tried_ = 0;
  for (size_t i = 0; i < chosen.size() && !IsTooMany();) {
    Chosen fewer = chosen;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Fits(fewer)) {
      chosen = std::move(fewer);
    } else {
      ++i;
    }
  }
  return chosen;
}

std::vector<std::string> GiveBack::Find(int64_t at_least) {
  std::optional<Chosen> best;
  for (size_t size = FewestThatHold(at_least); size <= holders_.size() && !best && !IsTooMany();
       ++size) {
    best = BestOf(size);
  }
  if (!best.has_value()) best = WithoutNeedless();
  std::vector<std::string> claims;
  for (const size_t index : *best) claims.push_back(holders_[index].claim);
  std::sort(claims.begin(), claims.end());
  return claims;
}

// Of a demand that fits on empty pools: the fewest claims with which it fits if they give back
// what they hold. Among as many those that hold the fewest devices here, then by name. `at_least`:
// so many devices must come back; 1 if that is not known.
//
// Of many claims not every set is tried: then it fits with what is returned, and not without any
// one of them (of the first few dozen), and fewer might do. If the steps run out it can be all.
std::vector<std::string> FindGiveBack(const InventoryState& state, const Ground& ground,
                                      Suppositions* suppositions, int64_t at_least) {
  std::vector<Holder> holders = HoldersOf(state, ground);
  if (holders.empty()) return {};
  return GiveBack(std::move(holders), suppositions).Find(at_least);
}

bool IsAnythingUsed(const Ground& ground) {
  for (const Stock* stock : ground.stocks()) {
    if (stock->used() > 0) return true;
  }
  return false;
}

// The pools of `ground` with nothing in use.
bool FitsWhenEmpty(const DemandData& demand, const Ground& ground, Steps* steps) {
  if (!IsAnythingUsed(ground)) return false;
  const Ground empty(ground.stocks(), {}, Contents::kAll);
  return Search(demand, empty).Find(steps) != Outcome::kDoesNotFit;
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
                int64_t budget, int64_t* spent) {
  Remedies remedies;
  if (const auto slot = FindContradiction(demand); slot.has_value()) {
    remedies.more.push_back({.slot = *slot});
    return Verdict::Unresolvable("contradiction", "{}",
                                 ReasonText(state, demand, ground, remedies).All());
  }
  // One trial that does not end leaves something for the others.
  Steps for_more{.most = budget / 8, .left = budget};
  remedies.more = FindShortage(demand, ground, &for_more);
  Steps for_changes = {.most = budget / 8, .left = budget};
  Suppositions suppositions(state, demand, ground, &for_changes);
  Steps for_empty = {.most = budget, .left = budget};
  const bool is_in_use = FitsWhenEmpty(demand, ground, &for_empty);
  if (is_in_use) {
    remedies.give_back = FindGiveBack(state, ground, &suppositions,
                                      FewestDevices(demand, ground, remedies.more.front()));
  }
  remedies.counter = FindCounterRaise(ground, &suppositions);
  remedies.resource = FindResourceRaise(demand, ground, &suppositions);
  *spent += 3 * budget - for_more.left - for_changes.left - for_empty.left;
  const std::string text = ReasonText(state, demand, ground, remedies).All();
  return is_in_use ? Verdict::Rejected("devices in use", "{}", text)
                   : Verdict::Unresolvable("no such devices", "{}", text);
}

}  // namespace outrigger::devices
