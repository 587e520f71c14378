#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <thread>

#include "kube/api.h"
#include "kube/resource.h"
#include "kube/timing.h"
#include "kube/watch/object_feed.h"
#include "kube/watch/object_sink.h"
#include "kube/watch/reflector_state.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

struct ReflectorOptions {
  /// The kind may be missing on the server: a CRD. Otherwise 404 is an error like others, and the
  /// sink keeps what it has.
  bool may_be_missing = false;
  /// The versions of a kind that may_be_missing, the newest first; static. The newest that the
  /// server serves is followed. Empty: the version of the resource alone, without discovery.
  std::span<const std::string_view> versions = {};
  /// Behind a watch without an event or bookmark for longer than this all is listed anew. Bookmarks
  /// come about once a minute, but not always of a kind in which nothing changes.
  std::chrono::milliseconds silence{75'000};
  /// How often it is looked whether a missing kind, or a newer version of it, has come.
  std::chrono::milliseconds missing_retry{30'000};
  /// Behind an outage of this length all is listed anew: while the server was away its etcd may
  /// have been replaced by an older one, which its resource versions do not tell for certain.
  std::chrono::milliseconds distrust_after{60'000};
  /// The longest that a full list may take.
  std::chrono::milliseconds list_timeout{300'000};
  /// Ask for protobuf where the sink reads it. What the server sends is read either way.
  bool protobuf = true;
  /// Objects per page, where the server gives pages.
  uint32_t page_size = 500;
  /// Asked of the server as the length of a watch; a random time of up to twice that.
  std::chrono::seconds watch_length{300};
  /// The waits between attempts that fail, those of client-go: the first, twice as long each time
  /// up to the longest, and each up to as much longer by chance. After 2 min without a failure they
  /// start again.
  std::chrono::milliseconds first_retry{800};
  std::chrono::milliseconds longest_retry{30'000};
  Timing timing = {};
  /// Told, from the reflector's thread, of what could not be used of objects.
  ObjectFeed::Report report = {};
  /// Told, from that thread too, when the state is ready, missing, followed or failing, or is so no
  /// more; State() says it already. May be empty.
  std::function<void()> turned = {};
};

class ReflectorLoop;

/// Keeps a sink equal to what the server has of one kind, in all namespaces, as client-go's
/// Reflector does: a full list, then a watch from there on, and again when the watch cannot go on.
/// docs/kube-client.md states the promises. Thread-safe.
class Reflector {
 public:
  /// `api` and `sink` outlive this. The sink is called by the reflector's thread alone.
  Reflector(Api* api, const Resource& resource, ObjectSink* sink, ReflectorOptions options);
  /// Stops.
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Starts the thread. To be called once.
  void Start();
  /// Ends the call that is under way and waits for the thread. Idempotent. The sink keeps what it
  /// has.
  void Stop();

  ReflectorState State() const;
  /// State() in one line for people.
  std::string Describe() const;

 private:
  ReflectorStatus board_;
  const SteadyNow now_;
  std::unique_ptr<ReflectorLoop> loop_;
  std::jthread thread_;
};

}  // namespace outrigger::kube
