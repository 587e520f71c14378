#include "rule/rule.h"

#include <algorithm>

namespace outrigger::reward {
namespace {

// Gamma(shape, 1); 0 for a shape of 0.
double DrawGamma(double shape, std::mt19937_64* random) {
  if (!(shape > 0)) return 0;
  return std::gamma_distribution<double>(shape, 1)(*random);
}

}  // namespace

double SuccessShare(double ran_seconds, const Rule& rule) {
  return 0.5 * std::clamp(ran_seconds / rule.mttf, 0.0, 1.0);
}

Elsewhere ElsewhereOf(const Sums& all, const Sums& here) {
  const double works = std::max(0.0, all.successes - here.successes);
  const double fails = std::max(0.0, all.failures - here.failures);
  return {works / (works + fails + 1), fails / (works + fails + 1)};
}

double ValueOf(const Sums& here, double pending, const Elsewhere& elsewhere, const Rule& rule) {
  const double whole = here.successes + here.failures + elsewhere.fails * pending + rule.prior;
  return whole > 0 ? (here.successes + rule.prior * elsewhere.works) / whole : elsewhere.works;
}

double ScoreOf(double value, const Elsewhere& elsewhere) {
  return 1 - std::max(0.0, elsewhere.works - value);
}

double DrawValue(const Sums& here, double pending, const Elsewhere& elsewhere, const Rule& rule,
                 std::mt19937_64* random) {
  const double good = DrawGamma(here.successes + rule.prior * elsewhere.works, random);
  const double bad = DrawGamma(
      here.failures + elsewhere.fails * pending + rule.prior * (1 - elsewhere.works), random);
  const double value = good + bad > 0 ? good / (good + bad) : elsewhere.works;
  return std::max(kLeastDraw, value);
}

}  // namespace outrigger::reward
