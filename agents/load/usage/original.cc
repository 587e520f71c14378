#include "load/usage/original.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace outrigger::usage {
namespace {

constexpr size_t kOriginalChunks = 100;

double MedianOfPositives(std::span<const double> values) {
  std::vector<double> positives;
  std::copy_if(values.begin(), values.end(), std::back_inserter(positives),
               [](double value) { return value > 0; });
  if (positives.empty()) return 0;
  std::sort(positives.begin(), positives.end());
  const size_t half = positives.size() / 2;
  return positives.size() % 2 == 1 ? positives[half] : (positives[half - 1] + positives[half]) / 2;
}

}  // namespace

std::optional<OriginalStatistics> OriginalStatisticsOf(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  const double n = static_cast<double>(values.size());
  OriginalStatistics statistics;
  statistics.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) {
    squares += (value - statistics.mean) * (value - statistics.mean);
  }
  statistics.deviation = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  statistics.least = *std::min_element(values.begin(), values.end());
  return statistics;
}

std::vector<double> RaisedToUnrequested(std::span<const double> values, double allocatable,
                                        double requested) {
  std::vector<double> raised(values.begin(), values.end());
  if (requested <= 0) return raised;
  for (double& value : raised) value = std::max(value, allocatable - requested);
  return raised;
}

std::vector<double> OriginalChunkMeans(std::span<const double> values) {
  const size_t total = values.size();
  const size_t longest = (total + kOriginalChunks - 1) / kOriginalChunks;
  const double median = MedianOfPositives(values);
  std::vector<double> means;
  means.reserve(kOriginalChunks);
  for (size_t chunk = 0; chunk < kOriginalChunks; ++chunk) {
    const size_t size = total / kOriginalChunks + (chunk < total % kOriginalChunks ? 1 : 0);
    double sum = static_cast<double>(longest - size) * median;
    for (const double value : values.first(size)) sum += value == 0 ? median : value;
    values = values.subspan(size);
    means.push_back(longest == 0 ? 0 : sum / static_cast<double>(longest));
  }
  return means;
}

}  // namespace outrigger::usage
