#include "rates.h"

#include <algorithm>

namespace outrigger::load_bench {

std::span<const Sample> Between(std::span<const Sample> samples, double from, double to) {
  const auto is_after = [](double time, const Sample& sample) { return time < sample.time; };
  const auto first = std::upper_bound(samples.begin(), samples.end(), from, is_after);
  const auto last = std::upper_bound(first, samples.end(), to, is_after);
  return {first, last};
}

std::optional<double> RateAt(std::span<const Sample> samples, double end, double range) {
  const std::span<const Sample> seen = Between(samples, end - range, end);
  if (seen.size() < 2) return std::nullopt;
  double increase = seen.back().value - seen.front().value;
  for (size_t i = 1; i < seen.size(); ++i) {
    if (seen[i].value < seen[i - 1].value) increase += seen[i - 1].value;
  }
  const double covered = seen.back().time - seen.front().time;
  const double interval = covered / static_cast<double>(seen.size() - 1);
  const double close = interval * 1.1;
  double before = seen.front().time - (end - range);
  double after = end - seen.back().time;
  if (before >= close) before = interval / 2;
  // A counter was not below zero before its first sample.
  if (increase > 0 && seen.front().value >= 0) {
    before = std::min(before, covered * seen.front().value / increase);
  }
  if (after >= close) after = interval / 2;
  return increase * (covered + before + after) / covered / range;
}

}  // namespace outrigger::load_bench
