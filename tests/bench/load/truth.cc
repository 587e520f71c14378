#include "truth.h"

#include <algorithm>

namespace outrigger::load_bench {
namespace {

constexpr double kAhead = 600;
constexpr double kStep = 60;

}  // namespace

void Truth::Place(size_t pod, size_t node, double time) {
  pods_[node].push_back({pod, time, time + trace_.pods[pod].lasts});
  sums_[node] += trace_.pods[pod].requests;
}

std::vector<Truth::Ended> Truth::EndAt(double time) {
  std::vector<Ended> ended;
  for (size_t node = 0; node < pods_.size(); ++node) {
    std::erase_if(pods_[node], [&](const Stay& stay) {
      if (stay.end > time) return false;
      sums_[node] -= trace_.pods[stay.pod].requests;
      ended.push_back({stay.pod, node});
      return true;
    });
  }
  return ended;
}

Amounts Truth::Use(size_t node, double time) const {
  Amounts use = SystemUse(trace_.nodes[node], time);
  for (const Stay& stay : pods_[node]) {
    if (stay.begin > time || stay.end <= time) continue;
    use += UseOf(trace_, trace_.pods[stay.pod], time, time - stay.begin);
  }
  return use;
}

bool Truth::HasRoom(size_t node, size_t pod, double time) const {
  const Amounts& allocatable = trace_.nodes[node].allocatable;
  for (double after = 0; after <= kAhead; after += kStep) {
    const Amounts with_pod =
        Use(node, time + after) + UseOf(trace_, trace_.pods[pod], time + after, after);
    if (WorseOf(ShareOf(with_pod, allocatable)) > kOverload) return false;
  }
  return true;
}

}  // namespace outrigger::load_bench
