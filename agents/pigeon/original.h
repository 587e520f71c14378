#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "objective.h"

// The arithmetic of the original program to the bit: 32-bit integers, single precision, its order
// of operations and its faults (the README of this agent names both).
// Everything here is a plain value and thread-compatible.

namespace outrigger::pigeon::original {

/// A node: capacity and usage by resource, in the units of the original (millicores, MiB, ...).
struct Node {
  std::vector<int32_t> capacity;
  std::vector<int32_t> usage;
};

/// First and second moments of what pods ask for: a running mean over a hundred pods, then an
/// exponential one. Fault of the original: the products of the first pod wrap at 32 bits.
class Demand {
 public:
  explicit Demand(size_t resources) : mean_(resources), squares_(resources * resources) {}

  void Add(std::span<const int32_t> asked);

  size_t resources() const { return mean_.size(); }
  bool empty() const { return count_ == 0; }
  float mean(size_t i) const { return mean_[i]; }
  /// Mean of the product of what is asked of resources `i` and `j`.
  float square(size_t i, size_t j) const { return squares_[i * mean_.size() + j]; }

 private:
  std::vector<float> mean_;
  std::vector<float> squares_;  // resources x resources
  int count_ = 0;
};

struct Terms {
  Objective objective = Objective::kBinPack;
  size_t prime = 0;  ///< which resource LOAD_BALANCE and CONSOLIDATE look at
};

/// The coefficient of variation of several resources after Albert and Zhang, sqrt(m'Sm) / m'm, of
/// the mean `mean` and the covariance `covariance` (by rows). 0 where it has no value.
double Gamma(std::span<const float> mean, std::span<const float> covariance);

/// The value of the objective over `nodes` as they are; 0 for A_BINPACK without demand.
float ValueOf(const Terms& terms, std::span<const Node> nodes, const Demand& demand);

/// The value of each placement of `asked`: NaN where it does not fit. `nodes` are left as they
/// were. Costs nodes x nodes x resources x resources.
std::vector<float> Evaluate(const Terms& terms, std::span<const int32_t> asked,
                            const Demand& demand, std::vector<Node>* nodes);

/// Scores 0 to 10 of those values: 0 where one does not fit, otherwise 10 (the least) to 1 (the
/// largest), halves away from zero. Fault of the original: rounding errors are stretched as well.
std::vector<int> ScoresOf(std::span<const float> values);

}  // namespace outrigger::pigeon::original
