#pragma once

#include <random>

namespace outrigger::reward {

/// The settings of the rule. A plain value.
struct Rule {
  double half_life = 86'400;  // seconds in which counted successes and failures lose half their
                              // weight; more than 0
  double mttf = 600;          // seconds of running that count as one success; more than 0
  double prior = 2;           // weight of what is assumed before anything is known; not negative
};

/// What was counted, as far as it is not forgotten. A plain value; neither is negative.
struct Sums {
  double successes = 0;
  double failures = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

// A failure after a run of t seconds counts r = min(t / mttf, 1) / 2 as a success and 1 - r as a
// failure; an exit with code 0 and each mttf of running count as a success. With s and f as the
// decayed sums of a type on a node, S and F over all nodes, and k as the prior:
//
//     m = (S + k) / (S + F + k)        v = (s + k m) / (s + f + k)        score = min(1, v / m)
//
// A node of which nothing is known has v = m and scores 1; a node where the type has never failed
// does so, too; and where it fails on every node alike, all nodes score the same.

/// The share of a failure that counts as a success, 0 to 0.5. Negative times count as 0.
double SuccessShare(double ran_seconds, const Rule& rule);
/// m: of all nodes together.
double MeanOf(const Sums& all, const Rule& rule);
/// v: of one node, 0 to 1.
double ValueOf(const Sums& here, double mean, const Rule& rule);
/// The score of a node with that value, 0 to 1; 1 where the mean is 0.
double ScoreOf(double value, double mean);

/// A value drawn from Beta(s + k m, f + k (1 - m)), at least kLeastDraw so that no node is given up
/// for ever (Thompson sampling).
double DrawValue(const Sums& here, double mean, const Rule& rule, std::mt19937_64* random);
inline constexpr double kLeastDraw = 0.01;

}  // namespace outrigger::reward
