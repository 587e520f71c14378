#include "curves.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace outrigger::load_bench {
namespace {

constexpr double kDay = 2 * 3600;
constexpr double kScrape = 15;
constexpr double kSlow = 120;

/// Calls `at` with the time of each value.
template <typename At>
Curve Tabulated(double length, const At& at) {
  std::vector<double> values;
  for (double time = 0; time <= length; time += Curve::kGrid) values.push_back(at(time));
  return Curve(std::move(values));
}

/// A level for some twenty minutes, then another.
Curve Steps(double length, Chance* chance) {
  double until = 0;
  double level = 1;
  return Tabulated(length, [&](double time) {
    if (time >= until) {
      until = time + 300 + chance->Wait(900);
      level = chance->Between(0.3, 1.7);
    }
    return level;
  });
}

/// From one level to another in half an hour to an hour and a half.
Curve Ramps(double length, Chance* chance) {
  double begun = 0;
  double until = 0;
  double from = 1;
  double to = chance->Between(0.5, 1.5);
  return Tabulated(length, [&](double time) {
    if (time >= until) {
      from = to;
      to = from < 1 ? chance->Between(1.2, 1.7) : chance->Between(0.3, 0.8);
      begun = time;
      until = time + chance->Between(1800, 5400);
    }
    return from + (to - from) * (time - begun) / (until - begun);
  });
}

// Most applications have their peak at the same time of the day, as people have.
Curve Days(double length, double phase) {
  const double shift = phase < 0.7 ? phase * 0.1 : phase;
  return Tabulated(length, [shift](double time) {
    return 1 - 0.5 * std::cos(2 * std::numbers::pi * (time / kDay - shift));
  });
}

}  // namespace

Curve CurveOf(Family family, double length, double phase, Chance* chance) {
  switch (family) {
    case Family::kSteps:
      return Steps(length, chance);
    case Family::kRamps:
      return Ramps(length, chance);
    case Family::kDays:
      return Days(length, phase);
    default:
      return Curve({1.0});
  }
}

double NoiseAt(uint64_t seed, double time, double deviation) {
  if (deviation == 0) return 0;
  const auto quick = static_cast<uint64_t>(std::max(time, 0.0) / kScrape);
  const auto slow = static_cast<uint64_t>(std::max(time, 0.0) / kSlow);
  const double sum = NormalOf(seed, quick) + NormalOf(~seed, slow);
  return deviation * sum * std::numbers::sqrt2 / 2;
}

double NoiseOf(Family family) {
  return family == Family::kNoise ? 0.35 : 0.1;
}

}  // namespace outrigger::load_bench
