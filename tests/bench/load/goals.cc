#include "goals.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fmt/format.h"

namespace outrigger::load_bench {
namespace {

constexpr double kSame = 0.02;
constexpr double kMostOverloaded = 0.5;  // of the best peer's
constexpr double kMostMedian = 5;
constexpr double kMostP95 = 10;

bool IsAbout(double value, double other) {
  return std::abs(value - other) <= kSame * other;
}

const Row& RowOf(const FamilyRows& family, std::string_view name) {
  const auto contenders = Contenders();
  const auto at = std::find_if(contenders.begin(), contenders.end(),
                               [name](const Contender& one) { return one.name == name; });
  return family.rows[static_cast<size_t>(at - contenders.begin())];
}

void CompareWithPeers(const FamilyRows& family, const Row& safe, std::vector<std::string>* missed) {
  const Row* best = nullptr;
  std::string_view name;
  double most_placed = 0;
  for (size_t i = 0; i < family.rows.size(); ++i) {
    if (!Contenders()[i].is_peer) continue;
    const Row& peer = family.rows[i];
    most_placed = std::max(most_placed, peer.placed);
    if (!IsAbout(safe.placed, peer.placed) || !IsAbout(safe.used_nodes, peer.used_nodes)) continue;
    if (best != nullptr && best->overloaded <= peer.overloaded) continue;
    best = &peer;
    name = Contenders()[i].name;
  }
  if (safe.placed < (1 - kSame) * most_placed) {
    missed->push_back(fmt::format("{}: safe places {:.0f} pods, a peer {:.0f}", family.family,
                                  safe.placed, most_placed));
    return;
  }
  if (best == nullptr) {
    missed->push_back(
        fmt::format("{}: no peer places as many pods on as many nodes as safe", family.family));
    return;
  }
  const double least = RowOf(family, "the truth").overloaded;
  if (safe.overloaded > std::max(kMostOverloaded * best->overloaded, least)) {
    missed->push_back(fmt::format(
        "{}: {:.1f} overloaded minutes, more than half of {}'s {:.1f} (the truth: {:.1f})",
        family.family, safe.overloaded, name, best->overloaded, least));
  }
}

}  // namespace

std::vector<std::string> MissedGoals(const FamilyRows& family) {
  std::vector<std::string> missed;
  const Row& safe = RowOf(family, "safe");
  CompareWithPeers(family, safe, &missed);
  if (safe.error_median > kMostMedian) {
    missed.push_back(fmt::format("{}: error of load {:.1f} points in the median, at most {} wanted",
                                 family.family, safe.error_median, kMostMedian));
  }
  if (safe.error_p95 > kMostP95) {
    missed.push_back(fmt::format("{}: error of load {:.1f} points at p95, at most {} wanted",
                                 family.family, safe.error_p95, kMostP95));
  }
  return missed;
}

}  // namespace outrigger::load_bench
