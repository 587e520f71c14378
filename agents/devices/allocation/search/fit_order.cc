#include "devices/allocation/search/fit_order.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace outrigger::devices {
namespace {

struct Item {
  int32_t pool = 0;
  int32_t value = 0;
  size_t place = 0;
  int64_t available = 0;
};

/// Some of the items, which are neighbours: a group, or a pool.
struct Bin {
  size_t begin = 0;
  size_t end = 0;
  size_t place = 0;       // the first
  int64_t available = 0;  // devices
  int64_t total = 0;      // with those in use
  int64_t fit = 0;        // of a pool: its smallest group that is large enough; 0: none is
};

bool IsLargerOrFirst(const Bin& a, const Bin& b) {
  return std::tie(b.available, b.total, a.place) < std::tie(a.available, a.total, b.place);
}

bool IsSmallerOrFirst(const Bin& a, const Bin& b) {
  return std::tie(a.available, b.total, a.place) < std::tie(b.available, a.total, b.place);
}

bool IsBetterFit(const Bin& a, const Bin& b) {
  return std::tie(a.fit, b.total, a.place) < std::tie(b.fit, a.total, b.place);
}

// The largest until one of the others has the rest; then the smallest that has it.
void Arrange(std::span<Bin> bins, int64_t wanted) {
  std::sort(bins.begin(), bins.end(), IsLargerOrFirst);
  auto at = bins.begin();
  for (; at != bins.end() && at->available < wanted; ++at) wanted -= at->available;
  const auto end =
      std::find_if(at, bins.end(), [wanted](const Bin& bin) { return bin.available < wanted; });
  std::sort(at, end, IsSmallerOrFirst);
}

const ValueColumn* GroupsOf(const DemandData& demand, const Alternative& alternative) {
  for (const int32_t id : alternative.constraints) {
    const Constraint& constraint = demand.constraints[static_cast<size_t>(id)];
    if (!constraint.distinct) return constraint.values.get();
  }
  return demand.groups.empty() ? nullptr : demand.groups.front().get();
}

/// Finds the order for one request.
class FitOrder {
 public:
  FitOrder(const Ground& ground, int64_t wanted) : ground_(ground), wanted_(wanted) {}

  void AddItems(const Takings& takings, const Slot& slot, const Alternative& alternative,
                const ValueColumn* groups);
  std::vector<size_t> Places();

 private:
  void AddGroups();
  void AddPools();

  const Ground& ground_;
  const int64_t wanted_;
  std::vector<Item> items_;
  std::vector<Bin> groups_;
  std::vector<Bin> pools_;  // their items are groups
};

void FitOrder::AddItems(const Takings& takings, const Slot& slot, const Alternative& alternative,
                        const ValueColumn* groups) {
  items_.reserve(ground_.places().size());
  for (size_t i = 0; i < ground_.places().size(); ++i) {
    const Ground::Place& place = ground_.places()[i];
    const auto set = static_cast<size_t>(place.run->set);
    if (!alternative.matches->Has(place.run->set)) continue;
    items_.push_back({place.pool, groups == nullptr ? 0 : groups->of[set], i,
                      takings.Available(slot, alternative, i)});
  }
}

void FitOrder::AddGroups() {
  const auto by_group = [](const Item& a, const Item& b) {
    return std::tie(a.pool, a.value, a.place) < std::tie(b.pool, b.value, b.place);
  };
  if (!std::is_sorted(items_.begin(), items_.end(), by_group)) {
    std::sort(items_.begin(), items_.end(), by_group);
  }
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const bool goes_on =
        i > 0 && items_[i - 1].pool == item.pool && items_[i - 1].value == item.value;
    if (!goes_on) groups_.push_back({.begin = i, .place = item.place});
    groups_.back().end = i + 1;
    groups_.back().available += item.available;
    groups_.back().total += ground_.places()[item.place].run->total;
  }
}

void FitOrder::AddPools() {
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Bin& group = groups_[i];
    const int32_t pool = items_[group.begin].pool;
    const bool goes_on = i > 0 && items_[groups_[i - 1].begin].pool == pool;
    if (!goes_on) pools_.push_back({.begin = i, .place = group.place});
    Bin& of = pools_.back();
    of.end = i + 1;
    of.place = std::min(of.place, group.place);
    of.available += group.available;
    of.total += group.total;
    if (group.available >= wanted_ && (of.fit == 0 || group.available < of.fit)) {
      of.fit = group.available;
    }
  }
}

std::vector<size_t> FitOrder::Places() {
  AddGroups();
  if (groups_.size() < 2) return {};
  AddPools();
  const auto unfit =
      std::partition(pools_.begin(), pools_.end(), [](const Bin& pool) { return pool.fit > 0; });
  std::sort(pools_.begin(), unfit, IsBetterFit);
  Arrange({unfit, pools_.end()}, wanted_);
  std::vector<size_t> places;
  places.reserve(items_.size());
  int64_t left = wanted_;
  for (const Bin& pool : pools_) {
    const std::span<Bin> groups(groups_.data() + pool.begin, pool.end - pool.begin);
    Arrange(groups, left > 0 ? left : wanted_);
    left -= pool.available;
    for (const Bin& group : groups) {
      for (size_t i = group.begin; i < group.end; ++i) {
        if (items_[i].available > 0) places.push_back(items_[i].place);
      }
    }
  }
  return places;
}

}  // namespace

std::vector<size_t> FindFitOrder(const DemandData& demand, const Ground& ground,
                                 const Takings& takings, const Slot& slot,
                                 const Alternative& alternative, int64_t wanted) {
  if (alternative.admin || alternative.all || !alternative.wishes.empty()) return {};
  FitOrder order(ground, wanted);
  order.AddItems(takings, slot, alternative, GroupsOf(demand, alternative));
  return order.Places();
}

}  // namespace outrigger::devices
