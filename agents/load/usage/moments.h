#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace outrigger::usage {

struct Moments {
  double mean = 0;
  double deviation = 0;
  size_t count = 0;  // samples
};

/// Mean and deviation of the population (divided by n), as PromQL's stddev_over_time. Nothing of
/// no values.
std::optional<Moments> MomentsOf(std::span<const double> values);

/// Mean of a value over a window that slides, and its deviation over a history of several windows,
/// from samples as they come. Keeps sums of a hundredth of the history each, so the memory of a
/// value is bounded (4 KB) whatever the interval of samples is, and times are right to that. Not
/// thread-safe.
class WindowedMoments {
 public:
  /// The history is no shorter than the window.
  WindowedMoments(std::chrono::milliseconds window, std::chrono::milliseconds history);

  /// Adds a sample taken at `time_ms` (Unix time), a mean of the time `covers` before it. One that
  /// is not later than the last, or not finite, is left out, so that what is read twice counts
  /// once. False then.
  bool Add(int64_t time_ms, double value, std::chrono::milliseconds covers = {});

  /// The mean of the samples in the window that ends at `end_ms` and their number, and the
  /// deviation of those in the history; nothing where there are none in the window.
  std::optional<Moments> Of(int64_t end_ms) const;
  /// How much of that window the samples stand for: each for the time since the one before, the
  /// first for the time that it covers, and none for more than a quarter of the window.
  std::chrono::milliseconds Known(int64_t end_ms) const;
  /// For how long there have been samples, gaps included, at most the window.
  std::chrono::milliseconds Age(int64_t end_ms) const;
  /// Means of the hundredths of the history, the oldest first; NaN where there is no sample.
  std::vector<double> ChunkMeans(int64_t end_ms) const;

 private:
  struct Chunk {
    int64_t number = -1;  // which hundredth, counted from 1970
    int64_t known_ms = 0;
    uint32_t count = 0;
    double sum = 0, sum_of_squares = 0;  // of differences to base_
  };

  const Chunk* Find(int64_t number) const;
  Chunk* Open(int64_t number);
  /// Of the samples in the last `parts` hundredths of the history; nothing of none.
  std::optional<Moments> OfParts(int64_t end_ms, int64_t parts) const;

  int64_t window_ms_;
  int64_t window_parts_;  // hundredths of the history
  int64_t chunk_ms_;
  int64_t first_ms_ = -1;  // since the last gap that is longer than the window
  int64_t last_ms_ = -1;
  double base_ = 0;  // the first sample: differences to it keep their digits when squared
  std::vector<Chunk> ring_;
};

}  // namespace outrigger::usage
