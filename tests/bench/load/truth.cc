#include "truth.h"

#include <algorithm>
#include <array>

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

Amounts Truth::LoadAMinuteAfter(size_t node, double time) const {
  constexpr std::array kTimes = {37.5, 52.5, 67.5, 82.5};
  Amounts sum;
  for (const double after : kTimes) sum += Load(node, time + after);
  return sum * (1.0 / kTimes.size());
}

double Truth::PeakWith(size_t node, size_t pod, double time) const {
  const Amounts& allocatable = trace_.nodes[node].allocatable;
  double peak = 0;
  for (double after = 0; after <= kAhead; after += kStep) {
    const Amounts with_pod =
        Use(node, time + after) + UseOf(trace_, trace_.pods[pod], time + after, after);
    peak = std::max(peak, WorseOf(ShareOf(with_pod, allocatable)));
  }
  return peak;
}

}  // namespace outrigger::load_bench
