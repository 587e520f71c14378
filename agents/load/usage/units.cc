#include "load/usage/units.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"

namespace outrigger::usage {
namespace {

/// A unit that a query may have in place of the one that is asked for.
struct Unit {
  std::string_view name;
  double factor = 0;   // to the unit that is asked for
  double of_node = 0;  // the same, as a share of what the node has
  double most = 0;     // the largest value in it; 0: no bound
  std::string_view cure;
};

constexpr std::array<Unit, 3> kOfCpu = {{
    {"a ratio", 0, 1, 1, "multiply it by 1000 and the number of cpus"},
    {"percent", 0, 0.01, 100, "multiply it by 10 and the number of cpus"},
    {"cores", 1000, 0, 0, "multiply it by 1000"},
}};
constexpr std::array<Unit, 5> kOfMemory = {{
    {"a ratio", 0, 1, 1, "multiply it by the bytes of the node"},
    {"percent", 0, 0.01, 100, "multiply it by a hundredth of the bytes of the node"},
    {"GiB", 1024.0 * 1024 * 1024, 0, 0, "multiply it by 1073741824"},
    {"MiB", 1024.0 * 1024, 0, 0, "multiply it by 1048576"},
    {"KiB", 1024, 0, 0, "multiply it by 1024"},
}};

// A machine may have more than what is allocatable of it.
constexpr double kMostOfAllocatable = 2;
constexpr double kLeastOfAllocatable = 0.02;  // of a guess
constexpr double kFarTooMuch = 100;
// Shares of allocatable. Below the first a node has no memory to run with.
constexpr double kNoMemory = 0.002;
constexpr double kFullCluster = 0.1;
constexpr double kPage = 4096;

double ShareAs(const Unit& unit, const UnitSample& sample) {
  return sample.value * (unit.factor / sample.allocatable + unit.of_node);
}

bool IsPossible(const Unit& unit, std::span<const UnitSample> samples) {
  return std::all_of(samples.begin(), samples.end(), [&unit](const UnitSample& sample) {
    return ShareAs(unit, sample) <= kMostOfAllocatable &&
           (unit.most == 0 || sample.value <= unit.most);
  });
}

/// Returns the unit in which the values make most sense: the one of the largest shares.
const Unit* Guess(Resource resource, std::span<const UnitSample> samples) {
  const std::span<const Unit> units =
      resource == Resource::kCpu ? std::span<const Unit>(kOfCpu) : std::span<const Unit>(kOfMemory);
  const Unit* best = nullptr;
  double most = kLeastOfAllocatable;
  for (const Unit& unit : units) {
    if (!IsPossible(unit, samples)) continue;
    for (const UnitSample& sample : samples) {
      if (ShareAs(unit, sample) < most) continue;
      most = ShareAs(unit, sample);
      best = &unit;
    }
  }
  return best;
}

UnitVerdict Verdict(bool is_impossible, const UnitSample& largest, Resource resource,
                    bool is_deviation, const Unit* guess) {
  std::string why =
      fmt::format("gives at most {:.4g} (node {}, which has {:.0f}), expected {} {}", largest.value,
                  *largest.node, largest.allocatable, is_deviation ? "deviations in" : "free",
                  resource == Resource::kCpu ? "millicores" : "bytes");
  if (guess != nullptr) why += fmt::format(". It looks like {}: {}", guess->name, guess->cure);
  return {.is_impossible = is_impossible, .why = std::move(why)};
}

}  // namespace

UnitVerdict JudgeUnit(Resource resource, bool is_deviation, std::span<const UnitSample> samples) {
  if (samples.empty()) return {};
  const auto by_value = [](const UnitSample& a, const UnitSample& b) { return a.value < b.value; };
  const UnitSample& largest = *std::max_element(samples.begin(), samples.end(), by_value);
  if (!(largest.value > 0)) return {};  // nothing is free
  const auto is_below = [samples](double share) {
    return std::all_of(samples.begin(), samples.end(), [share](const UnitSample& sample) {
      return sample.value <= share * sample.allocatable;
    });
  };
  const bool is_too_much = std::all_of(
      samples.begin(), samples.end(),
      [](const UnitSample& sample) { return sample.value > kFarTooMuch * sample.allocatable; });
  const bool is_cpu = resource == Resource::kCpu;
  const bool is_too_little = is_cpu         ? largest.value <= 1
                             : is_deviation ? largest.value < kPage
                                            : is_below(kNoMemory);
  const Unit* const guess = is_too_much ? nullptr : Guess(resource, samples);
  if (is_too_much || is_too_little) {
    return Verdict(true, largest, resource, is_deviation, guess);
  }
  const bool is_odd = is_cpu && !is_deviation && guess != nullptr && is_below(kFullCluster);
  return is_odd ? Verdict(false, largest, resource, is_deviation, guess) : UnitVerdict();
}

}  // namespace outrigger::usage
