#include "demand/demand.h"

namespace outrigger::pigeon {

void Demand::Add(std::span<const double> asked) {
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
