#include "rule/rule.h"

#include <algorithm>

namespace outrigger::reward {
namespace {

// Gamma(shape, 1); 0 for a shape of 0.
double DrawGamma(double shape, std::mt19937_64* random) {
  if (!(shape > 0)) return 0;
  return std::gamma_distribution<double>(shape, 1)(*random);
}

// Successes on a node, and the prior's, if it were as good as the others.
double Expected(const Sums& here, double pending, const Elsewhere& elsewhere, const Rule& rule) {
  const double outcomes = here.successes + here.failures + elsewhere.fails * pending;
  return elsewhere.works * outcomes + rule.prior;
}

}  // namespace

double FailureShare(double ran_seconds, const Rule& rule) {
  return 1 - 0.5 * std::clamp(ran_seconds / rule.mttf, 0.0, 1.0);
}

Elsewhere ElsewhereOf(const Sums& all, const Sums& here) {
  const double works = std::max(0.0, all.successes - here.successes);
  const double fails = std::max(0.0, all.failures - here.failures);
  const double doubt = 1 / ((1 + fails) * (1 + fails) * (1 + fails));
  return {(works + doubt) / (works + fails + 1), fails / (works + fails + 1)};
}

double ValueOf(const Sums& here, double pending, const Elsewhere& elsewhere, const Rule& rule) {
  const double expected = Expected(here, pending, elsewhere, rule);
  return expected > 0 ? (here.successes + rule.prior) / expected : 1;
}

double ScoreOf(double value) {
  return std::min(1.0, value);
}

double DrawValue(const Sums& here, double pending, const Elsewhere& elsewhere, const Rule& rule,
                 std::mt19937_64* random) {
  const double expected = Expected(here, pending, elsewhere, rule);
  if (!(expected > 0)) return 1;
  return std::max(kLeastDraw, DrawGamma(here.successes + rule.prior, random) / expected);
}

}  // namespace outrigger::reward
