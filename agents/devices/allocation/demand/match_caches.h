#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "devices/allocation/demand/match_cache.h"
#include "devices/allocation/selectors.h"
#include "outrigger/base/mutex.h"

namespace outrigger::devices {

/// A MatchCache for each namespace and inventory, so that none forgets, waits or pays for what
/// others write. Thread-safe.
class MatchCaches {
 public:
  using Time = std::chrono::nanoseconds;

  /// `now`: as of AllocatorOptions.
  MatchCaches(const Selectors& selectors, std::function<Time()> now)
      : selectors_(selectors), now_(std::move(now)) {}

  /// `epoch`: as InventoryState::epoch().
  std::shared_ptr<MatchCache> Of(const std::string& namespace_, uint64_t epoch);

  /// As MatchCache::FindOut(), within the share of the namespace. Unavailable: it is used up.
  absl::Status FindOut(const std::string& namespace_, MatchCache& cache, const Unknown& unknown,
                       const std::stop_token& stop);

 private:
  struct Entry {
    std::shared_ptr<MatchCache> cache;
    uint64_t used = 0;  // later: more
  };
  struct Share {
    int64_t left = 0;
    Time at{};  // when that was so
  };

  void Forget() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t LeftOf(const std::string& namespace_);
  void Spend(const std::string& namespace_, int64_t cost);

  const Selectors& selectors_;
  const std::function<Time()> now_;
  Mutex mutex_;
  std::map<std::pair<std::string, uint64_t>, Entry> caches_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Share> shares_ ABSL_GUARDED_BY(mutex_);  // those that are not full
  uint64_t uses_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace outrigger::devices
