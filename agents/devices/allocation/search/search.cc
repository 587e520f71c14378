#include "devices/allocation/search/search.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

#include "devices/allocation/search/fit_order.h"
#include "devices/allocation/search/smaller_amounts.h"

namespace outrigger::devices {

Search::Search(const DemandData& demand, const Ground& ground, std::vector<int64_t> spared)
    : demand_(demand),
      ground_(ground),
      spared_(std::move(spared)),
      takings_(demand, ground, spared_),
      by_value_(demand.slots.size()),
      wished_(demand.slots.size()) {
  frames_.reserve(2 * demand.slots.size() + 8);
}

// With few pools wanted, the number of pairs of claim and pool is allowed to grow from the fewest
// that could do. Half of the budget is kept for a search that takes any number.
Outcome Search::Find(int64_t budget) {
  steps_ = 0;
  if (ShortSet() != 0) return Outcome::kDoesNotFit;
  FindLowerBounds();
  if (later_pools_.empty()) return Attempt(budget);
  for (most_pairs_ = later_pools_[0];; ++most_pairs_) {
    is_limited_ = false;
    const Outcome outcome = Attempt(budget / 2);
    if (outcome == Outcome::kFits) return outcome;
    if (outcome == Outcome::kBudgetSpent) break;
    if (!is_limited_) return outcome;
  }
  most_pairs_ = kNoLimit;
  return Attempt(budget);
}

Outcome Search::Attempt(int64_t budget) {
  budget_ = budget;
  Unwind();
  cursor_ = {};
  bool forward = true;
  for (;;) {
    if (steps_ > budget_) return Outcome::kBudgetSpent;
    if (forward) {
      if (cursor_.slot == demand_.slots.size()) return Outcome::kFits;
      forward = Descend();
    } else {
      if (frames_.empty()) return Outcome::kDoesNotFit;
      forward = Retry();
    }
  }
}

Outcome Search::Find(Steps* steps) {
  if (steps->left <= 0) return Outcome::kBudgetSpent;
  const Outcome outcome = Find(std::min(steps->most, steps->left));
  steps->left -= steps_ + takings_.visited() / 16;
  return outcome;
}

std::vector<Pick> Search::Picks() const {
  std::vector<Pick> picks;
  for (const Frame& frame : frames_) {
    if (frame.is_choice) continue;
    picks.push_back(
        {frame.before.slot, frame.before.alternative, frame.place, frame.take, frame.given});
  }
  const auto by_place = [](const Pick& a, const Pick& b) {
    return std::tie(a.slot, a.place) < std::tie(b.slot, b.place);
  };
  if (!orders_.empty()) std::sort(picks.begin(), picks.end(), by_place);
  return picks;
}

bool Search::Descend() {
  if (!cursor_.is_open) return OpenFirst();
  if (cursor_.need > 0) return TakeSome();
  const int32_t pairs = cursor_.pairs;
  const size_t next = cursor_.slot + 1;
  cursor_ = {};
  cursor_.slot = next;
  cursor_.pairs = pairs;
  return true;
}

// Goes back to the last decision that can be made differently.
bool Search::Retry() {
  Frame& frame = frames_.back();
  if (frame.is_choice) {
    if (OpenNext(&frame)) return true;
    return false;
  }
  const Slot& of = demand_.slots[frame.before.slot];
  takings_.Undo(of, AlternativeOf(frame), frame.place, frame.take, frame.given);
  for (size_t i = 0; i < frame.given.size(); ++i) {
    wished_[frame.before.slot][i] += frame.given[i];
  }
  cursor_ = frame.before;
  if (TakeLess(&frame)) return Enter(&frame);
  const bool may_skip = frame.least == 0;
  frames_.pop_back();
  return may_skip && cursor_.potential >= cursor_.need;
}

void Search::Unwind() {
  while (!frames_.empty()) {
    const Frame& frame = frames_.back();
    if (!frame.is_choice) {
      takings_.Undo(demand_.slots[frame.before.slot], AlternativeOf(frame), frame.place, frame.take,
                    frame.given);
    }
    frames_.pop_back();
  }
}

bool Search::OpenFirst() {
  ++steps_;
  Frame frame;
  frame.before = cursor_;
  frame.before.is_open = true;
  frame.before.count = slot().alternatives[0].least;
  frame.is_choice = true;
  frames_.push_back(std::move(frame));
  cursor_ = frames_.back().before;
  return Open();
}

// The next number of devices, where amounts decide how many serve; else the next alternative.
bool Search::OpenNext(Frame* frame) {
  ++steps_;
  Cursor& at = frame->before;
  const std::vector<Alternative>& all = demand_.slots[at.slot].alternatives;
  const Alternative& now = all[static_cast<size_t>(at.alternative)];
  const auto places = static_cast<int64_t>(ground_.places().size());
  if (!now.wishes.empty() && at.count < std::min(now.most, places)) {
    ++at.count;
  } else if (static_cast<size_t>(at.alternative) + 1 < all.size()) {
    ++at.alternative;
    at.count = all[static_cast<size_t>(at.alternative)].least;
  } else {
    cursor_ = at;
    frames_.pop_back();
    return false;
  }
  cursor_ = at;
  return Open();
}

bool Search::Open() {
  if (alternative().contradicts) return false;
  cursor_.count = alternative().all ? CountOfAll() : cursor_.count;
  if (cursor_.count == 0) return false;
  const int64_t spared = SparedOf(cursor_.slot);
  cursor_.need = alternative().all && spared > 0 ? 0 : std::max<int64_t>(cursor_.count - spared, 0);
  std::vector<Amount>& wished = wished_[cursor_.slot];
  wished.clear();
  for (const Wish& wish : alternative().wishes) wished.push_back(wish.amount);
  if (!orders_.empty()) orders_[cursor_.slot].clear();
  cursor_.potential = Potential(0);
  if (cursor_.potential < cursor_.need) return false;
  by_value_[cursor_.slot].Count(demand_, ground_, takings_, slot(), alternative());
  if (cursor_.need > 0 && by_value_[cursor_.slot].AreShort(cursor_.need)) return false;
  for (size_t i = 0; cursor_.need > 0 && i < wished.size(); ++i) {
    if (RoomFrom(0, cursor_.need, i) < wished[i]) return false;
  }
  FindOrder();
  return true;
}

void Search::FindOrder() {
  // Where everything is taken, any order does; and with devices spared, to know that it fits.
  if (!spared_.empty() || cursor_.need == 0 || cursor_.potential == cursor_.need) return;
  std::vector<size_t> order =
      FindFitOrder(demand_, ground_, takings_, slot(), alternative(), WantedTogether());
  if (order.empty()) return;
  orders_.resize(demand_.slots.size());
  orders_[cursor_.slot] = std::move(order);
}

// With devices of the same kind for later slots that must be equal to those of this one: a group
// that has too few for all of them is not tried first.
int64_t Search::WantedTogether() const {
  int64_t wanted = cursor_.need;
  for (size_t i = cursor_.slot + 1; i < demand_.slots.size(); ++i) {
    const Alternative& later = demand_.slots[i].alternatives.front();
    if (later.all || later.matches != alternative().matches) continue;
    const bool is_equal =
        std::any_of(later.constraints.begin(), later.constraints.end(), [this](int32_t id) {
          const std::vector<int32_t>& own = alternative().constraints;
          return takings_.IsUnbound(id) && std::find(own.begin(), own.end(), id) != own.end();
        });
    if (is_equal) wanted += std::max<int64_t>(later.least - SparedOf(i), 0);
  }
  return wanted;
}

const std::vector<size_t>* Search::Order() const {
  if (orders_.empty() || orders_[cursor_.slot].empty()) return nullptr;
  return &orders_[cursor_.slot];
}

size_t Search::PlacesInOrder() const {
  const std::vector<size_t>* order = Order();
  return order == nullptr ? ground_.places().size() : order->size();
}

// Every device that matches; 0 if one of them is not to be had.
int64_t Search::CountOfAll() const {
  int64_t count = 0;
  for (size_t i = 0; i < ground_.places().size(); ++i) {
    const Run& run = *ground_.places()[i].run;
    if (!alternative().matches->Has(run.set)) continue;
    if (takings_.Available(slot(), alternative(), i) < run.total) return 0;
    count += run.total;
  }
  return count;
}

int64_t Search::Potential(size_t from) {
  const std::vector<size_t>* const order = Order();
  const size_t places = PlacesInOrder();
  int64_t sum = 0;
  for (size_t i = from; i < places; ++i) {
    sum += takings_.Available(slot(), alternative(), PlaceAt(order, i));
  }
  steps_ += static_cast<int64_t>(places - from) / 16;
  return sum;
}

bool Search::TakeSome() {
  if (slot().few_pools && !FewPoolsDo()) return false;
  const std::vector<size_t>* const order = Order();
  const size_t places = PlacesInOrder();
  while (cursor_.next < places) {
    if (cursor_.potential < cursor_.need || ++steps_ > budget_) return false;
    const size_t place = PlaceAt(order, cursor_.next++);
    const int64_t available = takings_.Available(slot(), alternative(), place);
    if (available == 0) continue;
    cursor_.potential -= available;
    if (IsLaterOfEquals(place) || IsOfShortValue(place)) continue;
    const int64_t most = MostAt(place, available);
    const int64_t least = std::max<int64_t>(cursor_.need - cursor_.potential, 0);
    if (most < least) return false;
    if (most > 0 && TakeAt(place, most)) return Enter(&frames_.back());
    if (least > 0) return false;
  }
  return false;
}

// Equal devices are taken in their order: a later one only if none of the earlier is left.
bool Search::IsLaterOfEquals(size_t place) const {
  const int32_t previous = ground_.places()[place].previous;
  return previous >= 0 && !alternative().admin &&
         takings_.Available(slot(), alternative(), static_cast<size_t>(previous)) > 0;
}

// The first device of a slot decides the values for the others.
bool Search::IsOfShortValue(size_t place) const {
  return cursor_.need == std::max<int64_t>(cursor_.count - SparedOf(cursor_.slot), 0) &&
         by_value_[cursor_.slot].AreShort(demand_, ground_.places()[place].run->set, cursor_.need);
}

int64_t Search::MostAt(size_t place, int64_t available) {
  int64_t most = std::min(available, cursor_.need);
  if (!alternative().admin) {
    most = std::min(most, std::max<int64_t>(takings_.later().Spare(place, cursor_.slot), 0));
  }
  const bool is_new_pool = ground_.places()[place].pool != cursor_.last_pool;
  if (slot().few_pools && is_new_pool &&
      cursor_.pairs + later_pools_[cursor_.slot + 1] >= most_pairs_) {
    is_limited_ = true;
    return 0;
  }
  return most;
}

// Adds the decision to take `most` there. False if a shared device cannot give what it must.
bool Search::TakeAt(size_t place, int64_t most) {
  Frame frame;
  frame.before = cursor_;
  frame.place = place;
  frame.take = most;
  frame.least = std::max<int64_t>(cursor_.need - cursor_.potential, 0);
  if (!alternative().wishes.empty() && !Give(&frame)) return false;
  frames_.push_back(std::move(frame));
  return true;
}

// Makes the decision of the frame. False: it leads nowhere.
bool Search::Enter(Frame* frame) {
  const bool is_bound =
      takings_.Apply(slot(), alternative(), frame->place, frame->take, frame->given);
  for (size_t i = 0; i < frame->given.size(); ++i) wished_[cursor_.slot][i] -= frame->given[i];
  cursor_.need -= frame->take;
  if (slot().few_pools) {
    const int32_t pool = ground_.places()[frame->place].pool;
    cursor_.pairs += pool != cursor_.last_pool ? 1 : 0;
    cursor_.last_pool = pool;
  }
  if (is_bound && cursor_.need > 0) cursor_.potential = Potential(cursor_.next);
  if (cursor_.potential >= cursor_.need) return true;
  // To take less leaves more to be found among the same devices.
  frame->is_last = frame->given.empty() && ground_.TakesOf(ground_.places()[frame->place]).empty();
  return false;
}

bool Search::TakeLess(Frame* frame) {
  ++steps_;
  if (!frame->given.empty()) return GiveLess(frame);
  if (frame->is_last || frame->take <= std::max<int64_t>(frame->least, 1)) {
    return false;
  }
  --frame->take;
  return true;
}

// The most that is of use, rounded up to blocks. A device must give a block at least.
Amount Search::MostGiven(const Frame& frame, size_t wish) const {
  const Store& store = *takings_.FindStore(frame.place, alternative().wishes[wish]);
  const Amount left = RoundDown(takings_.LeftOf(frame.place, store), store.block);
  const Amount wished = std::max<Amount>(wished_[cursor_.slot][wish], 0);
  return std::min(left, std::max(RoundUp(wished, store.block), store.block));
}

// What so many devices have together at most, of those from a place on.
Amount Search::RoomFrom(size_t from, int64_t devices, size_t wish) {
  if (devices == 0) return 0;
  std::vector<Amount> rooms;
  for (size_t i = from; i < ground_.places().size(); ++i) {
    if (takings_.Available(slot(), alternative(), i) == 0) continue;
    const Store& store = *takings_.FindStore(i, alternative().wishes[wish]);
    rooms.push_back(RoundDown(takings_.LeftOf(i, store), store.block));
  }
  steps_ += static_cast<int64_t>(ground_.places().size() - from) / 16;
  const auto counted = std::min(rooms.size(), static_cast<size_t>(devices));
  std::partial_sort(rooms.begin(), rooms.begin() + static_cast<std::ptrdiff_t>(counted),
                    rooms.end(), std::greater<>());
  Amount sum = 0;
  for (size_t i = 0; i < counted; ++i) sum += rooms[i];
  return sum;
}

// What the other devices cannot give.
Amount Search::LeastGiven(size_t wish) {
  return wished_[cursor_.slot][wish] - RoomFrom(cursor_.next, cursor_.need - 1, wish);
}

// The last device gives all that is yet to be found, each before it as much as it can.
bool Search::Give(Frame* frame) {
  frame->given.clear();
  for (size_t i = 0; i < alternative().wishes.size(); ++i) {
    const Amount most = MostGiven(*frame, i);
    if (most < LeastGiven(i)) return false;
    frame->given.push_back(most);
  }
  return true;
}

// The next smaller amounts that matter, the last wish first.
bool Search::GiveLess(Frame* frame) {
  if (cursor_.need == 1) return false;
  for (size_t i = frame->given.size(); i-- > 0;) {
    const SmallerAmounts amounts(demand_, ground_, takings_,
                                 {cursor_.slot, &alternative(), i, frame->place, cursor_.need});
    steps_ += amounts.steps();
    const Amount less = amounts.Below(frame->given[i]);
    if (less > 0 && less >= LeastGiven(i)) {
      frame->given[i] = less;
      return true;
    }
    frame->given[i] = MostGiven(*frame, i);
  }
  return false;
}

// False if the pools that may yet be touched do not have as many devices as are needed.
bool Search::FewPoolsDo() {
  if (most_pairs_ == kNoLimit) return true;
  const int32_t more = most_pairs_ - cursor_.pairs - later_pools_[cursor_.slot + 1];
  by_pool_.assign(ground_.stocks().size(), 0);
  const std::vector<size_t>* const order = Order();
  const size_t places = PlacesInOrder();
  int64_t sum = 0;
  for (size_t i = cursor_.next; i < places; ++i) {
    const size_t place = PlaceAt(order, i);
    const int64_t available = takings_.Available(slot(), alternative(), place);
    const int32_t pool = ground_.places()[place].pool;
    (pool == cursor_.last_pool ? sum : by_pool_[static_cast<size_t>(pool)]) += available;
  }
  steps_ += 1 + static_cast<int64_t>(places - cursor_.next) / 16;
  const auto counted = std::min(by_pool_.size(), static_cast<size_t>(std::max(more, 0)));
  const auto end = by_pool_.begin() + static_cast<std::ptrdiff_t>(counted);
  std::partial_sort(by_pool_.begin(), end, by_pool_.end(), std::greater<>());
  for (auto at = by_pool_.begin(); at != end; ++at) sum += *at;
  if (sum >= cursor_.need) return true;
  is_limited_ = is_limited_ || cursor_.potential >= cursor_.need;
  return false;
}

void Search::FindLowerBounds() {
  later_pools_.clear();
  const auto wants_few = [](const Slot& slot) { return slot.few_pools; };
  if (std::none_of(demand_.slots.begin(), demand_.slots.end(), wants_few)) return;
  Unwind();
  later_pools_.assign(demand_.slots.size() + 1, 0);
  for (size_t i = demand_.slots.size(); i-- > 0;) {
    const int32_t own = demand_.slots[i].few_pools ? FewestPools(i) : 0;
    later_pools_[i] = own + later_pools_[i + 1];
  }
}

// As if the slot were alone, and had no constraints.
int32_t Search::FewestPools(size_t slot) {
  int32_t fewest = static_cast<int32_t>(ground_.stocks().size());
  const Slot& of = demand_.slots[slot];
  for (const Alternative& one : of.alternatives) {
    by_pool_.assign(ground_.stocks().size(), 0);
    for (size_t i = 0; i < ground_.places().size(); ++i) {
      by_pool_[static_cast<size_t>(ground_.places()[i].pool)] += takings_.Available(of, one, i);
    }
    std::sort(by_pool_.begin(), by_pool_.end(), std::greater<>());
    int64_t need = one.all ? 0 : one.least - SparedOf(slot);
    int32_t pools = 0;
    for (auto at = by_pool_.begin(); need > 0 && at != by_pool_.end(); ++at, ++pools) need -= *at;
    fewest = std::min(fewest, pools);
  }
  return fewest;
}

void ValueCounts::Count(const DemandData& demand, const Ground& ground, const Takings& takings,
                        const Slot& slot, const Alternative& alternative) {
  all_.clear();
  for (const int32_t id : alternative.constraints) {
    if (!takings.IsUnbound(id)) continue;
    const std::vector<int32_t>& values = demand.constraints[static_cast<size_t>(id)].values->of;
    std::vector<OfValue>& counts = all_.emplace_back(OfConstraint{id, {}}).counts;
    for (size_t i = 0; i < ground.places().size(); ++i) {
      const int64_t available = takings.Available(slot, alternative, i);
      const int32_t value = values[static_cast<size_t>(ground.places()[i].run->set)];
      if (available == 0) continue;
      // Neighbours often have the same.
      if (!counts.empty() && counts.back().value == value) {
        counts.back().count += available;
      } else {
        counts.push_back({value, available});
      }
    }
    Merge(&counts);
  }
}

// Sorts by value, each value once.
void ValueCounts::Merge(std::vector<OfValue>* counts) {
  std::sort(counts->begin(), counts->end(),
            [](const OfValue& a, const OfValue& b) { return a.value < b.value; });
  std::vector<OfValue> merged;
  for (const OfValue& one : *counts) {
    if (!merged.empty() && merged.back().value == one.value) {
      merged.back().count += one.count;
    } else {
      merged.push_back(one);
    }
  }
  *counts = std::move(merged);
}

bool ValueCounts::AreShort(int64_t need) const {
  return std::any_of(all_.begin(), all_.end(), [need](const OfConstraint& one) {
    return std::none_of(one.counts.begin(), one.counts.end(),
                        [need](const OfValue& of) { return of.count >= need; });
  });
}

bool ValueCounts::AreShort(const DemandData& demand, SetId set, int64_t need) const {
  return std::any_of(all_.begin(), all_.end(), [&](const OfConstraint& one) {
    const Constraint& constraint = demand.constraints[static_cast<size_t>(one.constraint)];
    const int32_t value = constraint.values->of[static_cast<size_t>(set)];
    const auto at = std::lower_bound(one.counts.begin(), one.counts.end(), value,
                                     [](const OfValue& of, int32_t v) { return of.value < v; });
    return at == one.counts.end() || at->value != value || at->count < need;
  });
}

}  // namespace outrigger::devices
