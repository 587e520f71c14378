#include "devices/allocation/reasons/shortage.h"

#include <algorithm>
#include <map>
#include <utility>

namespace outrigger::devices {
namespace {

// Ways to spread devices over slots that are tried: all of them for up to three slots that miss up
// to four devices.
constexpr int kMostSpreads = 16;

int64_t MostNeeded(const Slot& slot) {
  int64_t most = 1;
  for (const Alternative& one : slot.alternatives) most = std::max(most, one.least);
  return most;
}

/// Searches with some devices spared. For one demand on one ground.
class Trials {
 public:
  Trials(const DemandData& demand, const Ground& ground, Steps* steps)
      : demand_(demand), ground_(ground), steps_(*steps) {}

  std::vector<int64_t> None() const { return std::vector<int64_t>(demand_.slots.size()); }
  /// The fewest devices that must be spared at `slot` in addition to `spared`, above `too_few` and
  /// below `most`; `most` if fewer will not do.
  int64_t Fewest(std::vector<int64_t> spared, size_t slot, int64_t too_few, int64_t most) const;
  bool Fits(std::vector<int64_t> spared) const {
    // To begin one costs something, too: it looks at all kinds of devices.
    if (steps_.left <= 0) return false;
    return Search(demand_, ground_, std::move(spared)).Find(&steps_) == Outcome::kFits;
  }

 private:
  int64_t Guess(size_t slot) const;

  const DemandData& demand_;
  const Ground& ground_;
  Steps& steps_;
};

int64_t Trials::Fewest(std::vector<int64_t> spared, size_t slot, int64_t too_few,
                       int64_t most) const {
  const auto fits = [&](int64_t count) {
    spared[slot] = count;
    return Fits(spared);
  };
  // What counts alone say is most often right; from there on in doubling steps.
  int64_t enough = std::clamp<int64_t>(Guess(slot), too_few + 1, most);
  for (int64_t step = 1; enough < most && !fits(enough); step *= 2) {
    too_few = enough;
    enough = std::min(most, enough + step);
  }
  if (enough - too_few > 1 && !fits(enough - 1)) return enough;
  while (enough - too_few > 1) {
    const int64_t middle = too_few + (enough - too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return enough;
}

int64_t Trials::Guess(size_t slot) const {
  const Alternative& first = demand_.slots[slot].alternatives.front();
  return first.least - FindBestGroup(demand_, ground_, first).free;
}

// Slot by slot, the later ones left out.
std::vector<Short> FindEach(const DemandData& demand, const Trials& trials) {
  std::vector<Short> all;
  std::vector<int64_t> spared = trials.None();
  for (size_t i = 0; i < spared.size(); ++i) spared[i] = MostNeeded(demand.slots[i]);
  for (size_t i = 0; i < spared.size(); ++i) {
    const int64_t missing = trials.Fewest(spared, i, -1, spared[i]);
    spared[i] = missing;
    if (missing > 0) all.push_back({i, 0, missing, false});
  }
  return all;
}

/// Enumerates how a number of devices can be spread over two slots or more.
class Spreads {
 public:
  Spreads(size_t slots, int64_t total) : counts_(slots), total_(total) { counts_.back() = total; }

  const std::vector<int64_t>& counts() const { return counts_; }
  bool IsOverSeveral() const { return *std::max_element(counts_.begin(), counts_.end()) < total_; }
  /// False after the last.
  bool Next() {
    // The next larger one in lexicographic order with the same sum.
    size_t last = counts_.size() - 1;
    while (last > 0 && counts_[last] == 0) --last;
    if (last == 0) return false;
    const int64_t rest = std::exchange(counts_[last], 0) - 1;
    ++counts_[last - 1];
    counts_.back() = rest;
    return true;
  }

 private:
  std::vector<int64_t> counts_;
  const int64_t total_;
};

// The fewest devices over several slots that would do, if they are fewer than `most`; else none.
std::vector<Short> FindSpread(const DemandData& demand, const Trials& trials, int64_t most) {
  int trial = 0;
  for (int64_t total = 2; demand.slots.size() > 1 && total < most; ++total) {
    Spreads spreads(demand.slots.size(), total);
    do {
      if (!spreads.IsOverSeveral()) continue;
      if (++trial > kMostSpreads) return {};
      if (!trials.Fits(spreads.counts())) continue;
      std::vector<Short> all;
      for (size_t i = 0; i < demand.slots.size(); ++i) {
        if (spreads.counts()[i] > 0) all.push_back({i, 0, spreads.counts()[i], false});
      }
      return all;
    } while (spreads.Next());
  }
  return {};
}

int64_t SumOf(const std::vector<Short>& all) {
  int64_t sum = 0;
  for (const Short& one : all) sum += one.missing;
  return sum;
}

bool IsHeldBack(const DemandData& demand, const Trials& trials, const Short& of) {
  std::vector<int64_t> spared = trials.None();
  for (size_t i = 0; i < spared.size(); ++i) spared[i] = MostNeeded(demand.slots[i]);
  spared[of.slot] = of.missing - 1;
  return trials.Fits(std::move(spared));
}

// The first alternative of a slot with which all fits once everything in `all` is spared; if none
// does, the first that devices could serve at all.
size_t AlternativeOf(const DemandData& demand, const Ground& ground, Steps* steps,
                     const std::vector<Short>& all, size_t slot) {
  const std::vector<Alternative>& alternatives = demand.slots[slot].alternatives;
  if (alternatives.size() == 1) return 0;
  DemandData only = demand;
  const Trials trials(only, ground, steps);
  std::vector<int64_t> spared = trials.None();
  for (const Short& one : all) spared[one.slot] = one.missing;
  for (size_t i = 0; i < alternatives.size(); ++i) {
    only.slots[slot].alternatives = {alternatives[i]};
    if (trials.Fits(spared)) return i;
  }
  const auto first = std::find_if(alternatives.begin(), alternatives.end(),
                                  [](const Alternative& one) { return !one.contradicts; });
  return first == alternatives.end() ? 0 : static_cast<size_t>(first - alternatives.begin());
}

}  // namespace

std::vector<Short> FindShortage(const DemandData& demand, const Ground& ground, Steps* steps) {
  const Trials trials(demand, ground, steps);
  Short best;
  for (size_t i = 0; i < demand.slots.size(); ++i) {
    // Nothing above the best so far is of interest.
    const int64_t most = best.missing == 0 ? MostNeeded(demand.slots[i]) : best.missing;
    const int64_t missing = trials.Fewest(trials.None(), i, 0, most);
    if (best.missing > 0 && missing == best.missing) continue;
    std::vector<int64_t> spared = trials.None();
    spared[i] = missing;
    if (missing < most || trials.Fits(std::move(spared))) best = {i, 0, missing, false};
  }
  std::vector<Short> all = best.missing > 0 ? std::vector{best} : FindEach(demand, trials);
  std::vector<Short> spread = FindSpread(demand, trials, SumOf(all));
  if (!spread.empty()) all = std::move(spread);
  if (demand.slots.size() > 1) {
    for (Short& one : all) one.by_others = IsHeldBack(demand, trials, one);
  }
  for (Short& one : all) one.alternative = AlternativeOf(demand, ground, steps, all, one.slot);
  return all;
}

BestGroup FindBestGroup(const DemandData& demand, const Ground& ground,
                        const Alternative& alternative) {
  std::map<std::vector<int32_t>, BestGroup> groups;
  for (size_t i = 0; i < ground.places().size(); ++i) {
    const Ground::Place& place = ground.places()[i];
    if (!alternative.matches->Has(place.run->set)) continue;
    std::vector<int32_t> values;
    for (const int32_t id : alternative.constraints) {
      const Constraint& constraint = demand.constraints[static_cast<size_t>(id)];
      const int32_t value = constraint.values->of[static_cast<size_t>(place.run->set)];
      values.push_back(constraint.distinct && value >= 0 ? 0 : value);
    }
    if (std::find(values.begin(), values.end(), -1) != values.end()) continue;
    BestGroup& group = groups[std::move(values)];
    group.places.push_back(i);
    group.free += place.free;
    group.total += place.run->total;
  }
  BestGroup best;
  for (auto& [values, group] : groups) {
    const bool is_better =
        std::pair(group.free, group.total) > std::pair(best.free, best.total) ||
        (std::pair(group.free, group.total) == std::pair(best.free, best.total) &&
         (best.places.empty() || group.places[0] < best.places[0]));
    if (is_better) best = std::move(group);
  }
  return best;
}

}  // namespace outrigger::devices
