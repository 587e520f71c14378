#include "devices/allocation/scores/scores.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace outrigger::devices {
namespace {

// Ranks of alternatives count from 0; the last of kMostAlternatives is worth an eighth.
constexpr double kRanks = kMostAlternatives;

/// Devices of one driver that are equal in one attribute.
struct Group {
  int64_t total = 0;
  int64_t free = 0;
  int64_t taken = 0;
};

bool IsAdmin(const DemandData& demand, const Pick& pick) {
  return demand.slots[pick.slot].alternatives[static_cast<size_t>(pick.alternative)].admin;
}

// Devices newly taken at each place.
std::vector<int64_t> TakenAt(const DemandData& demand, const Ground& ground,
                             const std::vector<Pick>& picks) {
  std::vector<int64_t> taken(ground.places().size());
  for (const Pick& pick : picks) {
    if (IsAdmin(demand, pick)) continue;
    const Ground::Place& place = ground.places()[pick.place];
    if (!place.run->shared) {
      taken[pick.place] += pick.count;
    } else if (ground.UsersOf(place) == 0) {
      taken[pick.place] = 1;
    }
  }
  return taken;
}

double Packing(const DemandData& demand, const Ground& ground, const std::vector<Pick>& picks,
               const std::vector<int64_t>& taken_at) {
  std::map<int32_t, int64_t> taken;  // by pool
  for (const Pick& pick : picks) {
    if (!IsAdmin(demand, pick)) taken[ground.places()[pick.place].pool] = 0;
  }
  if (taken.empty()) return 0;
  for (size_t i = 0; i < taken_at.size(); ++i) {
    if (taken_at[i] > 0) taken[ground.places()[i].pool] += taken_at[i];
  }
  double sum = 0;
  for (const auto& [pool, count] : taken) {
    const Stock& stock = *ground.stocks()[static_cast<size_t>(pool)];
    sum += static_cast<double>(stock.used() + count) / static_cast<double>(stock.total());
  }
  return sum / static_cast<double>(taken.size());
}

double Intact(const DemandData& demand, const Ground& ground,
              const std::vector<int64_t>& taken_at) {
  int touched = 0;
  int broken = 0;
  for (const std::shared_ptr<const ValueColumn>& column : demand.groups) {
    std::map<std::pair<std::string_view, int32_t>, Group> groups;  // by driver and value
    for (size_t i = 0; i < taken_at.size(); ++i) {
      const Ground::Place& place = ground.places()[i];
      const int32_t value = column->of[static_cast<size_t>(place.run->set)];
      if (value < 0) continue;
      Group& group = groups[{ground.StockOf(place).pool().driver, value}];
      group.total += place.run->total;
      group.free += place.run->shared ? (ground.UsersOf(place) == 0 ? 1 : 0) : place.free;
      group.taken += taken_at[i];
    }
    for (const auto& [key, group] : groups) {
      if (group.taken == 0) continue;
      ++touched;
      if (group.free == group.total && group.taken < group.total) ++broken;
    }
  }
  return touched == 0 ? 1 : 1 - static_cast<double>(broken) / touched;
}

double Choice(const DemandData& demand, const std::vector<Pick>& picks) {
  double sum = 0;
  int count = 0;
  for (size_t i = 0; i < demand.slots.size(); ++i) {
    if (demand.slots[i].alternatives.size() < 2) continue;
    int32_t rank = 0;
    for (const Pick& pick : picks) {
      if (pick.slot == i) rank = pick.alternative;
    }
    sum += (kRanks - rank) / kRanks;
    ++count;
  }
  return count == 0 ? 1 : sum / count;
}

}  // namespace

Scores Score(const DemandData& demand, const Ground& ground, const std::vector<Pick>& picks,
             const Weights& weights) {
  const std::vector<int64_t> taken_at = TakenAt(demand, ground, picks);
  Scores scores;
  scores.packing = Packing(demand, ground, picks, taken_at);
  scores.intact = Intact(demand, ground, taken_at);
  scores.choice = Choice(demand, picks);
  scores.total = weights.packing * scores.packing + weights.intact * scores.intact +
                 weights.choice * scores.choice;
  return scores;
}

}  // namespace outrigger::devices
