#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/base/shared_mutex.h"
#include "store/contents.h"

namespace outrigger::devices::agent {

/// What is known of pools, claims, classes and drivers: followed at the API server, with the own
/// writes at once. Thread-safe. Looks run in parallel; a change waits for those under way, and they
/// for a change as long as its pool is large.
class DeviceStore {
 public:
  DeviceStore();
  ~DeviceStore();

  /// Called after each change, by the thread that made it: must be quick. Set once, before
  /// Follow().
  void OnChange(std::function<void()> changed) { changed_ = std::move(changed); }

  /// Begins to follow all kinds, until Stop().
  void Follow(CustomObjectAccess* api);
  void Stop();
  /// The first kind that is not usable, as FollowedKind::Usable() says it.
  absl::Status Usable() const;

  /// Calls `look` with what is known now; others may look at the same time.
  void Look(absl::FunctionRef<void(const Contents&)> look) const ABSL_LOCKS_EXCLUDED(mutex_);
  /// Calls `look` while no other look is under way: it may take a Contents::Without.
  void LookAlone(absl::FunctionRef<void(Contents*)> look) const ABSL_LOCKS_EXCLUDED(mutex_);
  /// Calls `change`, which returns whether it has changed anything.
  void Change(absl::FunctionRef<bool(Contents*)> change) ABSL_LOCKS_EXCLUDED(mutex_);

  // Take the answer of a write or a read, as JSON. InvalidArgument: it cannot be read.
  absl::Status LearnPool(std::string_view json);
  absl::Status LearnClaim(std::string_view json);
  absl::Status LearnClass(std::string_view json);

 private:
  class Sink;

  template <typename T>
  absl::Status Take(absl::StatusOr<T> object, Source from);

  mutable SharedMutex mutex_;
  mutable Contents contents_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> changed_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  mutable SharedMutex follow_mutex_;
  // Uses sinks_.
  std::vector<std::unique_ptr<FollowedKind>> followed_ ABSL_GUARDED_BY(follow_mutex_);
};

}  // namespace outrigger::devices::agent
