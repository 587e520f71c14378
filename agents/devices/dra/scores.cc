#include "devices/dra/scores.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace outrigger::dra {
namespace {

// Ranks of alternatives count from 0; the last that firstAvailable may have is worth an eighth.
constexpr double kRanks = 8;

struct Counts {
  int total = 0;
  int free = 0;
  int taken = 0;
};

// Spots that were free and are taken now.
std::set<size_t> NewlyTaken(const Plan& plan, const Search& search) {
  std::set<size_t> taken;
  for (const std::vector<Pick>& claim : search.picks()) {
    for (const Pick& pick : claim) {
      const bool takes =
          !pick.ask->ask->admin_access && !plan.ground().spots()[pick.spot].in_use.any();
      if (takes) taken.insert(pick.spot);
    }
  }
  return taken;
}

double Packing(const Plan& plan, const Search& search, const std::set<size_t>& taken) {
  std::map<size_t, Counts> pools;
  for (const std::vector<Pick>& claim : search.picks()) {
    for (const Pick& pick : claim) {
      if (!pick.ask->ask->admin_access) pools[plan.ground().spots()[pick.spot].pool];
    }
  }
  if (pools.empty()) return 0;
  const std::vector<Spot>& spots = plan.ground().spots();
  for (size_t i = 0; i < spots.size(); ++i) {
    const auto pool = pools.find(spots[i].pool);
    if (pool == pools.end() || !spots[i].here) continue;
    ++pool->second.total;
    if (spots[i].in_use.any() || taken.contains(i)) ++pool->second.taken;
  }
  double sum = 0;
  for (const auto& entry : pools)
    sum += static_cast<double>(entry.second.taken) / entry.second.total;
  return sum / static_cast<double>(pools.size());
}

// "numa" is the driver's own.
const AttributeValue* ValueIn(const Spot& spot, const std::string& group) {
  const std::string& driver = spot.slice->driver;
  const AttributeValue* value = AttributeOf(*spot.device, driver, group);
  return value != nullptr || group.find('/') != std::string::npos
             ? value
             : AttributeOf(*spot.device, driver, driver + "/" + group);
}

void CountGroups(const Plan& plan, const std::string& group, const std::set<size_t>& taken,
                 int* touched, int* broken) {
  std::map<std::pair<std::string_view, AttributeValue>, Counts> counts;  // by driver and value
  const std::vector<Spot>& spots = plan.ground().spots();
  for (size_t i = 0; i < spots.size(); ++i) {
    const AttributeValue* value = spots[i].here ? ValueIn(spots[i], group) : nullptr;
    if (value == nullptr || value->index() == 0) continue;
    Counts& count = counts[{spots[i].slice->driver, *value}];
    ++count.total;
    if (!spots[i].in_use.any()) ++count.free;
    if (taken.contains(i)) ++count.taken;
  }
  for (const auto& entry : counts) {
    const Counts& count = entry.second;
    if (count.taken == 0) continue;
    ++*touched;
    if (count.free == count.total && count.taken < count.total) ++*broken;
  }
}

double Intact(const Plan& plan, const std::vector<std::string>& groups,
              const std::set<size_t>& taken) {
  std::set<std::string> all(groups.begin(), groups.end());
  for (const Claim& claim : plan.claims()) {
    for (const Constraint& constraint : claim.constraints) {
      if (!constraint.distinct) all.insert(constraint.attribute);
    }
  }
  int touched = 0;
  int broken = 0;
  for (const std::string& group : all) CountGroups(plan, group, taken, &touched, &broken);
  return touched == 0 ? 1 : 1 - static_cast<double>(broken) / touched;
}

double Choice(const Plan& plan, const Search& search) {
  double sum = 0;
  int count = 0;
  for (size_t claim = 0; claim < plan.claims().size(); ++claim) {
    const std::vector<Request>& requests = plan.claims()[claim].requests;
    for (size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].asks.size() < 2) continue;
      sum += (kRanks - search.chosen()[claim][i]) / kRanks;
      ++count;
    }
  }
  return count == 0 ? 1 : sum / count;
}

}  // namespace

Scores Score(const Plan& plan, const Search& search, const std::vector<std::string>& groups) {
  const std::set<size_t> taken = NewlyTaken(plan, search);
  return {.packing = Packing(plan, search, taken),
          .intact = Intact(plan, groups, taken),
          .choice = Choice(plan, search)};
}

}  // namespace outrigger::dra
