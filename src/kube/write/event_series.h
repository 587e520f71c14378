#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "kube/write/event_recorder.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// A map that forgets what was not used for longest. Not thread-safe.
template <typename Value>
class RecentMap {
 public:
  explicit RecentMap(size_t most) : most_(most) {}

  /// The value of `key`, made anew if it is not there; valid until the next call.
  Value& operator[](const std::string& key) {
    const auto found = index_.find(key);
    if (found != index_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return found->second->second;
    }
    if (order_.size() >= most_ && !order_.empty()) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, Value());
    index_.emplace(key, order_.begin());
    return order_.front().second;
  }
  size_t size() const { return order_.size(); }

 private:
  using Order = std::list<std::pair<std::string, Value>>;
  const size_t most_;
  Order order_;  // the one used last comes first
  std::unordered_map<std::string, typename Order::iterator> index_;
};

/// Decides what becomes of an event: nothing, a new object, or one more in a series. Not
/// thread-safe.
class EventSeries {
 public:
  explicit EventSeries(const EventOptions& options);

  /// What is known of equal events.
  struct Entry {
    std::string name;        // of the object; empty: none was written
    std::string namespace_;  // of the object
    int64_t count = 0;
    Clock::TimePoint last;
  };

  /// The entry of `event`, with `count` and `last` counted on; nullptr if the object has had too
  /// many. An empty name says that a new object is due. Valid until the next call.
  Entry* Admit(const Event& event, Clock::TimePoint now);

 private:
  struct Bucket {
    std::optional<double> tokens;
    Clock::TimePoint filled;
  };

  const double burst_;
  const std::chrono::seconds refill_;
  const std::chrono::seconds series_;
  RecentMap<Bucket> buckets_;  // by object
  RecentMap<Entry> entries_;   // by event
};

}  // namespace outrigger::kube
