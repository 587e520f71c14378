#include "kube/timing.h"

#include <random>

namespace outrigger::kube {

double SystemRandom() {
  thread_local std::mt19937_64 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace outrigger::kube
