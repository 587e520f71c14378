#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "serve/server/metrics.h"

namespace outrigger::server {

/// The last values of metrics: at most 400 series of 120 samples. Takes half a megabyte, and 4 MB
/// if all texts are as long as can be. A plain value.
class SampleRing {
 public:
  static constexpr size_t kSamples = 120;
  static constexpr size_t kMaxSeries = 400;
  /// A series whose name, labels or help have more bytes is left out.
  static constexpr size_t kMaxText = 1024;

  /// Adds a sample and drops the oldest of kSamples. A sample with the time of the last one, or an
  /// earlier time, replaces the last one. Series that had no value in kSamples samples are dropped.
  void Add(int64_t unix_seconds, std::span<const ShownFamily> families);

  /// The keys "times", "truncated" and "series" of GET /history: at most 4 MB.
  void AppendJson(std::string* out) const;

 private:
  static constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  struct Series {
    std::string head;  // its JSON but for the values
    std::vector<double> values = std::vector<double>(kSamples, kAbsent);  // by slot
    uint64_t seen = 0;                                                    // its last sample
  };

  void AddSeries(const ShownFamily& family, const ShownFamily::Series& series);

  std::map<std::string, Series> series_;  // by name and labels
  std::vector<int64_t> times_ = std::vector<int64_t>(kSamples);
  uint64_t samples_ = 0;  // so many were added; the slot of the last is (samples_ - 1) % kSamples
  bool truncated_ = false;
};

/// Keeps the figures of Metrics::Read() of the last hour, a sample every 30 s, for GET /history.
/// Costs a SampleRing and a thread that sleeps. Thread-safe.
class History {
 public:
  static constexpr std::chrono::seconds kEvery{30};

  /// Takes the first sample and starts the thread. `metrics` outlives this.
  explicit History(const Metrics& metrics, Clock clock = {});
  /// Ends the thread at once.
  ~History() = default;
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  /// The answer to GET /history (docs/pages.md). Its last sample is of the present. Works on a
  /// copy of the ring.
  std::string Json() const;

 private:
  int64_t Now() const;
  void Sample();

  const Metrics& metrics_;
  const Clock clock_;
  const Clock::TimePoint began_;
  const std::chrono::system_clock::time_point started_;
  mutable Mutex mutex_;
  SampleRing ring_ ABSL_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace outrigger::server
