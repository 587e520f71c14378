#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kube/api.h"
#include "outrigger/base/clock.h"

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

}  // namespace outrigger::kube
