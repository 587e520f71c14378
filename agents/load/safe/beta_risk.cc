#include "beta_risk.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>

namespace outrigger::safe {
namespace {

namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::domain_error<policies::errno_on_error>,
                               policies::pole_error<policies::errno_on_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>,
                               policies::rounding_error<policies::ignore_error>,
                               policies::promote_double<false>>;

// exp(-38) < 2^-54, and 1 - 2^-54 is 1 in double.
constexpr double kNegligibleExponent = 38;

// From this sum of the two shape parameters on, Boost's incomplete beta function loses digits (5e-8
// at 1e10), while the Edgeworth expansion is off by O(1 / sum).
constexpr double kNearlyNormal = 1e8;

// More than any error of Risk(), so that a bound decides only what Risk() decides alike.
constexpr double kSlack = 1e-6;

// Answers that need no distribution.
std::optional<double> TrivialRisk(double mean, double deviation, double threshold) {
  if (mean <= 0) return 0;
  if (deviation <= 0) return mean <= threshold ? 0 : 1;
  if (deviation * deviation >= mean * (1 - mean)) return 1;
  if (threshold >= 1) return 0;
  if (threshold <= 0) return 1;
  return std::nullopt;
}

// The tail on the far side of `distance` from the mean is at most exp(-this): a beta distribution
// is sub-Gaussian with proxy variance 1 / (4 (alpha + beta + 1)) (Marchal and Arbel 2017), and
// alpha + beta + 1 = mean (1 - mean) / variance.
double TailExponent(double mean, double variance, double distance) {
  return 2 * mean * (1 - mean) * distance * distance / variance;
}

// P(X <= mean + z deviations) of a beta distribution with huge parameters: the normal distribution
// corrected for skewness.
double NearlyNormalCdf(double mean, double deviation, double z) {
  const double skewness = 2 * (1 - 2 * mean) * deviation / (mean * (1 - mean));
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double normal = std::erfc(-z / std::numbers::sqrt2) / 2;
  return std::clamp(normal - skewness / 6 * (z * z - 1) * density, 0.0, 1.0);
}

}  // namespace

double Risk(double mean, double deviation, double threshold) {
  if (const auto trivial = TrivialRisk(mean, deviation, threshold)) return *trivial;
  const double variance = deviation * deviation;
  const double distance = threshold - mean;
  if (TailExponent(mean, variance, distance) > kNegligibleExponent) return distance > 0 ? 0 : 1;
  const double sum = mean * (1 - mean) / variance - 1;  // alpha + beta
  if (!(sum > 0)) return 1;                             // rounding, next to the case above
  if (sum > kNearlyNormal) return 1 - NearlyNormalCdf(mean, deviation, distance / deviation);
  // 1 - CDF rather than the upper tail itself: the score of the original tells a risk of exactly 0
  // from the smallest one, and its 0 is what rounding leaves of 1 - CDF.
  return 1 - boost::math::ibeta(mean * sum, (1 - mean) * sum, threshold, Quiet());
}

std::optional<Shape> ShapeOf(double mean, double deviation) {
  if (TrivialRisk(mean, deviation, 0.5)) return std::nullopt;
  const double sum = mean * (1 - mean) / (deviation * deviation) - 1;
  return Shape{mean * sum, (1 - mean) * sum};
}

std::optional<bool> DecidedByBounds(double max_risk, double mean, double deviation,
                                    double threshold) {
  if (const auto trivial = TrivialRisk(mean, deviation, threshold)) return *trivial <= max_risk;
  const double variance = deviation * deviation;
  const double distance = threshold - mean;
  // Cantelli: at most this much lies beyond `distance` from the mean, on either one side.
  const double beyond = variance / (variance + distance * distance);
  if (distance > 0 && beyond + kSlack <= max_risk) return true;
  if (distance < 0 && 1 - beyond - kSlack > max_risk) return false;
  return std::nullopt;
}

}  // namespace outrigger::safe
