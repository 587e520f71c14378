#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "kube/api.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/text.h"

namespace outrigger::kube {

/// The object that an event is about.
struct EventObject {
  std::string api_version = "v1";
  std::string kind;  // "Pod"
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version = {};  // as it was seen; empty: left out
  friend bool operator==(const EventObject&, const EventObject&) = default;
};

/// What happened, in the words of events.k8s.io/v1.
struct Event {
  EventObject regarding;
  bool warning = false;
  std::string reason;  // "GangWaiting": stable, for machines; cut to 128 bytes
  std::string action;  // "Scheduling"; cut to 128 bytes
  std::string note;    // for people; cut to 1024 bytes
};

struct EventOptions {
  std::string controller = {};  // reportingController: "outrigger"
  std::string instance = {};    // reportingInstance: the pod's name; cut to 128 bytes
  /// Events that may wait to be written; more are dropped and counted.
  size_t queue = 1000;
  /// Of one object, so many at once, and then one more in each `refill`, as client-go's spam
  /// filter.
  double burst = 25;
  std::chrono::seconds refill{300};
  /// Equal events (object, type, reason, action, note) within this time become one with a series.
  /// Another note begins a new object, so that people see what is the matter now; one that changes
  /// all the time is held back by `burst`, as everything about its object is then.
  std::chrono::seconds series{360};
  /// Objects and events that are remembered for that; the one unused longest is forgotten first.
  size_t remembered = 4096;
  /// Told why an event was not written, by the recorder's thread: the first of a row of failures of
  /// one kind (new events, series). Null: nobody is told.
  std::function<void(const std::string& problem)> warn = nullptr;
};

struct EventStats {
  uint64_t written = 0;  // created, or a series counted on
  uint64_t dropped = 0;  // queue full, too many of one object, or refused by the server
};

/// Writes Events in the background: Record() never waits, and nothing of it can make its caller
/// fail. Thread-safe.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;  // writes what waits, for a second at most
  /// `api` outlives the recorder.
  static std::unique_ptr<EventRecorder> Create(Api* api, EventOptions options, Clock clock = {});

  virtual void Record(Event event) = 0;
  virtual EventStats stats() const = 0;
  /// Returns when everything that was recorded before has been written or dropped.
  virtual void Flush() = 0;
};

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

// Texts of events as the API server takes them: what it would refuse is made to fit.

/// The name of an Event about `about`, as client-go's: the object's name and a number that the
/// caller uses once. Names that no Event may have are shortened, or the kind stands in their place.
std::string EventName(const EventObject& about, uint64_t number);

}  // namespace outrigger::kube
