#pragma once

#include <random>

namespace outrigger::reward {

/// The settings of the rule. A plain value.
struct Rule {
  double half_life = 86'400;  // seconds in which half of what was counted is forgotten; more than 0
  double mttf = 600;          // seconds of running that count as one success; more than 0
  double prior = 2;           // weight of what is assumed before anything is known; not negative
};

/// What was counted, as far as it is not forgotten. A plain value; neither is negative.
struct Sums {
  double successes = 0;
  double failures = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

// An exit with code 0 and each mttf of running count as a success, a failure after a run of t
// seconds as 1 - min(t / mttf, 1) / 2 of a failure. With s and f as the decayed sums of a type on a
// node, x pods of it there of which the outcome is not known yet, S and F as the sums over all
// other nodes, and k as the prior:
//
//     p = 1 / (1 + F)^3    e = (S + p) / (S + F + 1)    q = F / (S + F + 1)
//     v = (s + k) / (e (s + f + q x) + k)        score = min(1, v)
//
// v is how many successes there were here by how many there would be on another node, both with k
// more. Until the type has failed on another node it is taken to run well there (p), so that a pod
// which fails on the first node is tried on another. Where it fails on all alike the score is 1 but
// for some hundredths.

/// What a failure counts, 0.5 to 1. Negative times count as 0.
double FailureShare(double ran_seconds, const Rule& rule);

/// How a type does on the other nodes: e and q. What neither says is not known.
struct Elsewhere {
  double works = 0;
  double fails = 0;
};
Elsewhere ElsewhereOf(const Sums& all, const Sums& here);
/// v: of one node, not negative.
double ValueOf(const Sums& here, double pending, const Elsewhere& elsewhere, const Rule& rule);
/// The score of a node with that value, 0 to 1.
double ScoreOf(double value);

/// A value drawn from the Gamma distribution with the mean v and the shape s + k (successes of a
/// Poisson process), at least kLeastDraw so that no node is given up for ever (Thompson sampling).
double DrawValue(const Sums& here, double pending, const Elsewhere& elsewhere, const Rule& rule,
                 std::mt19937_64* random);
inline constexpr double kLeastDraw = 0.01;

}  // namespace outrigger::reward
