#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "kube/api.h"
#include "kube/watch/reflector.h"
#include "kube/watch/reflector_state.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/base/mutex.h"

namespace outrigger::kube {

struct CustomWatchOptions {
  /// As of ClusterWatchOptions.
  std::chrono::milliseconds max_staleness{90'000};
  /// Its `silence` and `missing_retry` may be shortened, so that what is known does not become too
  /// old between two looks.
  ReflectorOptions reflector = {};
};

/// Follows kinds that the program does not know, each as long as what Follow() returns lives. A
/// kind that the API server does not serve is no hindrance for anybody else. docs/kube-client.md
/// states the promises. Thread-safe.
class CustomWatch {
 public:
  /// `api` outlives this.
  CustomWatch(Api* api, CustomWatchOptions options);
  /// Stops.
  ~CustomWatch();
  CustomWatch(const CustomWatch&) = delete;
  CustomWatch& operator=(const CustomWatch&) = delete;

  /// As CustomObjectAccess::Follow(). What is returned must end before this. After Stop() nothing
  /// becomes known.
  std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink);

  /// Returns when no sink is called any more; the sinks keep what they have. Idempotent. Not to be
  /// called from a sink.
  void Stop();

  /// One for each kind that is followed now, in the order in which they came; of a kind that is
  /// followed more than once, the first.
  std::vector<ReflectorState> States() const;

 private:
  class RawSink;
  class Entry;
  class Followed;

  void Forget(const std::shared_ptr<Entry>& entry);

  Api* const api_;
  const CustomWatchOptions options_;
  mutable Mutex mutex_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::kube
