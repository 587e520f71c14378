#pragma once

#include <optional>

namespace outrigger::safe {

// The risk that a resource is used beyond a threshold, if its utilization follows a beta
// distribution of the given mean and standard deviation (all fractions of the capacity, in [0, 1]).

/// P(utilization > threshold), in [0, 1].
///
/// Exact to 1e-8 (to 1e-12 for deviations above 1e-4). Special cases, in this order: mean 0, or
/// deviation 0 and mean <= threshold: 0; deviation 0: 1; a deviation that no beta distribution of
/// this mean has (deviation^2 >= mean * (1 - mean)): 1; threshold 1: 0; threshold 0: 1.
/// A risk below 5.5e-17 is 0: it is 1 minus the probability of staying below.
double Risk(double mean, double deviation, double threshold);

/// The two parameters of a beta distribution.
struct Shape {
  double alpha = 0;
  double beta = 0;
};
/// Those of the distribution with this mean and deviation, by its moments: alpha + beta =
/// mean (1 - mean) / deviation^2 - 1, of which alpha is the part `mean`. Nothing where Risk() needs
/// no distribution.
std::optional<Shape> ShapeOf(double mean, double deviation);

/// What `Risk(mean, deviation, threshold) <= max_risk` says, where bounds on the tail suffice to
/// know it, at a small part of the cost; nothing where they do not.
std::optional<bool> DecidedByBounds(double max_risk, double mean, double deviation,
                                    double threshold);

}  // namespace outrigger::safe
