#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace outrigger::sim {

using Time = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

/// Time that passes only from one act to the next. Not thread-safe.
class Timeline {
 public:
  Time now() const { return now_; }
  /// Runs `act` after `delay`; acts of one moment run in the order in which they were added.
  void After(milliseconds delay, std::function<void()> act) {
    acts_.emplace(std::pair(now_ + delay, count_++), std::move(act));
  }
  bool empty() const { return acts_.empty(); }
  /// When the next act is due; not if empty().
  Time next() const { return acts_.begin()->first.first; }
  /// Runs the next act; not if empty().
  void RunNext() {
    auto first = acts_.extract(acts_.begin());
    Pass(first.key().first);
    first.mapped()();
  }
  /// Lets time pass to `until`, if that is later.
  void Pass(Time until) {
    if (until > now_) now_ = until;
  }

 private:
  Time now_ = Time() + std::chrono::hours(1);
  uint64_t count_ = 0;
  std::map<std::pair<Time, uint64_t>, std::function<void()>> acts_;
};

}  // namespace outrigger::sim
