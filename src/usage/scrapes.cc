#include "usage/scrapes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace outrigger::usage {

std::chrono::milliseconds ScrapeInterval(std::span<const Series> series) {
  double longest = 0;
  for (const Series& one : series) {
    std::vector<double> intervals;
    for (size_t i = 1; i < one.points.size(); ++i) {
      intervals.push_back(one.points[i].time - one.points[i - 1].time);
    }
    if (intervals.empty()) continue;
    const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
    std::nth_element(intervals.begin(), middle, intervals.end());
    longest = std::max(longest, *middle);
  }
  return std::chrono::milliseconds(static_cast<int64_t>(std::llround(longest * 1000)));
}

}  // namespace outrigger::usage
