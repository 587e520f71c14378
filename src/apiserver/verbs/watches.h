#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "apiserver/store/store.h"
#include "apiserver/verbs/face.h"
#include "http/server.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::apiserver {

/// One watch: what it is to be told, and how far it has been.
struct Watch {
  Face face;
  Selection selection;
  uint64_t at = 0;                // changes behind this version come next
  std::deque<StoredPtr> initial;  // come before, as ADDED
  bool initial_ends = false;      // a bookmark says that these were all
  bool bookmarks = false;
  bool over = false;
  Clock::TimePoint ends = {};
  Clock::TimePoint next_bookmark = {};
  std::shared_ptr<http::Stream> stream;
};

/// Feeds watches from the store's log, in a thread of its own. A watcher that reads nothing gets
/// nothing more once its backlog is full, and 410 once the log no longer has what it needs.
/// Thread-safe.
class Watches {
 public:
  Watches(Store* store, Clock clock);
  ~Watches();
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

  /// `time`: how long it lasts; zero: as long as any.
  void Begin(std::shared_ptr<Watch> watch, std::chrono::seconds time);
  /// Ends those of a definition that is no longer served.
  void EndAllOf(const Collection* collection);

 private:
  void Run(const std::stop_token& stop);
  bool Advance(Watch* watch) const;
  bool SendChanges(Watch* watch) const;
  void Send(const Watch& watch, const char* type, const StoredPtr& object) const;

  Store* const store_;
  const Clock clock_;
  Mutex mutex_;
  std::vector<std::shared_ptr<Watch>> watches_ ABSL_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace outrigger::apiserver
