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

double MeanOf(const Sums& all, const Rule& rule) {
  const double whole = all.successes + all.failures + rule.prior;
  return whole > 0 ? (all.successes + rule.prior) / whole : 1;
}

double ValueOf(const Sums& here, double mean, const Rule& rule) {
  const double whole = here.successes + here.failures + rule.prior;
  return whole > 0 ? (here.successes + rule.prior * mean) / whole : mean;
}

double ScoreOf(double value, double mean) {
  return mean > 0 ? std::min(1.0, value / mean) : 1;
}

double DrawValue(const Sums& here, double mean, const Rule& rule, std::mt19937_64* random) {
  const double good = DrawGamma(here.successes + rule.prior * mean, random);
  const double bad = DrawGamma(here.failures + rule.prior * (1 - mean), random);
  const double value = good + bad > 0 ? good / (good + bad) : mean;
  return std::max(kLeastDraw, value);
}

}  // namespace outrigger::reward
