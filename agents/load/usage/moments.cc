#include "load/usage/moments.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace outrigger::usage {
namespace {

constexpr int64_t kParts = 100;
constexpr int64_t kMostOfOneSample = 4;  // a quarter of the window

Moments FromSums(double base, double sum, double sum_of_squares, size_t count) {
  const double n = static_cast<double>(count);
  const double mean = sum / n;
  // Rounding may leave a negative variance of values that are all the same.
  const double variance = std::max(sum_of_squares / n - mean * mean, 0.0);
  return {.mean = base + mean, .deviation = std::sqrt(variance), .count = count};
}

}  // namespace

std::optional<Moments> MomentsOf(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  double sum_of_squares = 0;
  for (const double value : values) {
    const double difference = value - values.front();
    sum += difference;
    sum_of_squares += difference * difference;
  }
  return FromSums(values.front(), sum, sum_of_squares, values.size());
}

WindowedMoments::WindowedMoments(std::chrono::milliseconds window,
                                 std::chrono::milliseconds history)
    : window_ms_(std::max<int64_t>(window.count(), 1)),
      window_parts_(kParts),
      chunk_ms_(std::max<int64_t>(history.count() / kParts, 1)) {
  window_parts_ = std::clamp<int64_t>(window_ms_ / chunk_ms_, 1, kParts);
}

const WindowedMoments::Chunk* WindowedMoments::Find(int64_t number) const {
  if (ring_.empty() || number < 0) return nullptr;
  const Chunk& chunk = ring_[static_cast<size_t>(number) % ring_.size()];
  return chunk.number == number ? &chunk : nullptr;
}

WindowedMoments::Chunk* WindowedMoments::Open(int64_t number) {
  // One more than the window has: it ends within a chunk.
  if (ring_.empty()) ring_.resize(kParts + 1);
  Chunk& chunk = ring_[static_cast<size_t>(number) % ring_.size()];
  if (chunk.number != number) chunk = {.number = number};
  return &chunk;
}

bool WindowedMoments::Add(int64_t time_ms, double value, std::chrono::milliseconds covers) {
  if (time_ms < 0 || time_ms <= last_ms_ || !std::isfinite(value)) return false;
  if (ring_.empty()) base_ = value;
  if (last_ms_ < 0 || time_ms - last_ms_ > window_ms_) first_ms_ = time_ms - covers.count();
  Chunk* const chunk = Open(time_ms / chunk_ms_);
  const int64_t stands_for = last_ms_ < 0 ? covers.count() : time_ms - last_ms_;
  chunk->known_ms += std::min(stands_for, window_ms_ / kMostOfOneSample);
  const double difference = value - base_;
  ++chunk->count;
  chunk->sum += difference;
  chunk->sum_of_squares += difference * difference;
  last_ms_ = time_ms;
  return true;
}

std::optional<Moments> WindowedMoments::Of(int64_t end_ms) const {
  const std::optional<Moments> window = OfParts(end_ms, window_parts_);
  if (!window) return std::nullopt;
  return Moments{.mean = window->mean,
                 .deviation = OfParts(end_ms, kParts)->deviation,
                 .count = window->count};
}

std::optional<Moments> WindowedMoments::OfParts(int64_t end_ms, int64_t parts) const {
  double sum = 0;
  double sum_of_squares = 0;
  size_t count = 0;
  const int64_t last = end_ms / chunk_ms_;
  for (int64_t number = last - parts; number <= last; ++number) {
    const Chunk* const chunk = Find(number);
    if (chunk == nullptr) continue;
    sum += chunk->sum;
    sum_of_squares += chunk->sum_of_squares;
    count += chunk->count;
  }
  if (count == 0) return std::nullopt;
  return FromSums(base_, sum, sum_of_squares, count);
}

std::chrono::milliseconds WindowedMoments::Known(int64_t end_ms) const {
  int64_t known = 0;
  const int64_t last = end_ms / chunk_ms_;
  for (int64_t number = last - window_parts_; number <= last; ++number) {
    if (const Chunk* const chunk = Find(number)) known += chunk->known_ms;
  }
  return std::chrono::milliseconds(std::min(known, window_ms_));
}

std::chrono::milliseconds WindowedMoments::Age(int64_t end_ms) const {
  if (last_ms_ < 0) return {};
  return std::chrono::milliseconds(std::clamp<int64_t>(end_ms - first_ms_, 0, window_ms_));
}

std::vector<double> WindowedMoments::ChunkMeans(int64_t end_ms) const {
  std::vector<double> means;
  means.reserve(kParts);
  const int64_t last = end_ms / chunk_ms_;
  for (int64_t number = last - kParts + 1; number <= last; ++number) {
    const Chunk* const chunk = Find(number);
    means.push_back(chunk == nullptr ? std::numeric_limits<double>::quiet_NaN()
                                     : base_ + chunk->sum / static_cast<double>(chunk->count));
  }
  return means;
}

}  // namespace outrigger::usage
