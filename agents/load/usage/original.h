#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// The statistics of the original program's usage annotator, by its own arithmetic.

namespace outrigger::usage {

struct OriginalStatistics {
  double mean = 0;
  double deviation = 0;  // of a sample: divided by n - 1. Zero of one value
  double least = 0;
};

/// Nothing of no values.
std::optional<OriginalStatistics> OriginalStatisticsOf(std::span<const double> values);

/// `values`, those below `allocatable - requested` raised to it. Zero requested: as they are.
std::vector<double> RaisedToUnrequested(std::span<const double> values, double allocatable,
                                        double requested);

/// Means of 100 nearly equal chunks: the first `size % 100` have one value more. Chunks that are
/// shorter are filled up with the median of the positive values, which also replaces zeros.
std::vector<double> OriginalChunkMeans(std::span<const double> values);

}  // namespace outrigger::usage
