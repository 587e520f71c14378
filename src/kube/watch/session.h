#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "kube/api.h"
#include "kube/stream/encoded_body.h"
#include "kube/timing.h"
#include "kube/watch/object_feed.h"
#include "kube/watch/reflector_state.h"

namespace outrigger::kube {

/// How one watch is asked for.
struct WatchRequest {
  std::string path;
  /// Where to go on from. Ignored with `initial_events`.
  std::string resource_version;
  /// The state first, as a stream (WatchList), then what changes.
  bool initial_events = false;
  std::chrono::seconds length{300};                 // asked of the server
  std::chrono::milliseconds silence{75'000};        // between two events
  std::chrono::milliseconds list_timeout{300'000};  // until the state is complete
  std::stop_token stop = {};
  bool protobuf = false;  // asked for; what comes is read either way
};

/// How a watch ended.
struct WatchEnd {
  /// OK: the server ended it properly, or nothing came for `silence`.
  absl::Status status;
  bool silent = false;
  bool answered = false;  // something came
  /// The state was complete; only with `initial_events`.
  bool synced = false;
  size_t events = 0;             // those of the state not counted
  std::string resource_version;  // to go on from; empty: none
};

/// One watch, from the request to its end. For one call of Run().
class WatchSession {
 public:
  WatchSession(WatchRequest request, const Timing& timing, ObjectFeed* feed, ReflectorStatus* board)
      : request_(std::move(request)), timing_(timing), feed_(feed), board_(board) {}

  WatchEnd Run(Api* api);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  bool TakeBytes(std::string_view bytes);
  absl::Status OnEvent(const WatchEvent& event);
  absl::Status Apply(const WatchEvent& event);
  absl::Status OnBookmark(const WatchEvent& event);
  absl::Status CheckTime(TimePoint now);
  bool in_initial_events() const { return request_.initial_events && !end_.synced; }

  const WatchRequest request_;
  const Timing& timing_;
  ObjectFeed* const feed_;
  ReflectorStatus* const board_;
  WatchBody body_;
  WatchEnd end_;
  absl::Status failed_;  // what ended the stream from this side
  TimePoint started_;
  TimePoint last_event_;
};

}  // namespace outrigger::kube
