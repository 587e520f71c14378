#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/select/selector.h"
#include "apiserver/store/store.h"
#include "apiserver/verbs/catalog.h"
#include "http/server.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::apiserver {

/// Which objects of a resource a list or a watch is about.
struct Selection {
  std::string namespace_;
  Selector selector;

  bool Has(const Stored& object) const;
};

/// How objects are shown: as they are, or as rows of a table.
struct Face {
  ServedPtr served;
  bool as_table = false;
  std::string include_object = "Metadata";  // of each row: None, Metadata or Object

  /// The object as the resource's version of the API has it.
  std::string TextOf(const Stored& object) const;
  std::string ListOf(const std::vector<StoredPtr>& objects, const Json& metadata) const;
  /// A table of these objects; `with_columns`: with its column definitions.
  std::string TableOf(const std::vector<StoredPtr>& objects, const Json& metadata,
                      bool with_columns, std::chrono::system_clock::time_point now) const;
};

/// A watch to begin.
struct WatchRequest {
  Face face;
  Selection selection;
  uint64_t after = 0;              // changes behind this version
  std::vector<StoredPtr> initial;  // come before, as ADDED
  bool initial_ends = false;       // a bookmark says that these were all
  bool bookmarks = false;
  std::optional<std::chrono::seconds> timeout;
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

  void Begin(WatchRequest request);
  size_t size() const;
  /// Ends those of a definition that is no longer served.
  void EndAllOf(const Collection* collection);

 private:
  struct Watch;
  struct Round;
  void Run(const std::stop_token& stop);
  void RunOnce(const std::stop_token& stop, uint64_t* read);
  bool Advance(Watch* watch, Round* round);
  bool SendInitial(Watch* watch, Round* round);
  bool SendChanges(Watch* watch, Round* round);
  void SendChange(Watch* watch, const Change& change, Round* round);
  void SendObject(Watch* watch, const char* type, const StoredPtr& object, Round* round);
  void SendBookmark(Watch* watch, uint64_t version, bool initial_end);

  Store* const store_;
  const Clock clock_;
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Watch>> watches_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Watch>> new_ ABSL_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace outrigger::apiserver
