#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace outrigger::pigeon {

/// First and second moments of what pods ask for, by resource: the running mean of a hundred pods,
/// and from then on an exponential mean in which each new pod counts a hundredth.
/// Thread-compatible.
class Demand {
 public:
  explicit Demand(size_t resources) : mean_(resources), squares_(resources * resources) {}
  /// As it was: `mean` and `squares` (by rows) of as many resources. `pods` is at most kMostPods.
  Demand(int pods, std::vector<double> mean, std::vector<double> squares)
      : mean_(std::move(mean)), squares_(std::move(squares)), pods_(pods) {}

  void Add(std::span<const double> asked);
  /// Whether pods of at most `most` can have these moments. 0 of a resource: nobody knows the most.
  bool IsWithin(std::span<const double> most) const;

  /// Pods that the moments are made of; stays at kMostPods from there on.
  int pods() const { return pods_; }
  size_t resources() const { return mean_.size(); }
  double mean(size_t i) const { return mean_[i]; }
  /// Mean of the product of what is asked of resources `i` and `j`.
  double square(size_t i, size_t j) const { return squares_[i * mean_.size() + j]; }

  static constexpr int kMostPods = 100;

 private:
  std::vector<double> mean_;
  std::vector<double> squares_;  // resources x resources, symmetric
  int pods_ = 0;
};

inline bool Demand::IsWithin(std::span<const double> most) const {
  constexpr double kRounding = 1 + 1e-6;
  for (size_t i = 0; i < mean_.size(); ++i) {
    if (most[i] <= 0) continue;
    if (mean_[i] > most[i] * kRounding) return false;
    for (size_t j = 0; j < mean_.size(); ++j) {
      if (square(i, j) > most[i] * mean_[j] * kRounding) return false;
    }
  }
  return true;
}

inline void Demand::Add(std::span<const double> asked) {
  if (pods_ < kMostPods) ++pods_;
  const double share = 1.0 / pods_;
  for (size_t i = 0; i < mean_.size(); ++i) {
    mean_[i] += share * (asked[i] - mean_[i]);
    for (size_t j = 0; j < mean_.size(); ++j) {
      double& square = squares_[i * mean_.size() + j];
      square += share * (asked[i] * asked[j] - square);
    }
  }
}

}  // namespace outrigger::pigeon
