#pragma once

#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "outrigger/base/mutex.h"

namespace outrigger::devices::agent {

/// Whether what earlier processes left was looked after, and what that waits for. Thread-safe.
class Recovery {
 public:
  /// No effect after End().
  void WaitsFor(std::string what) ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    if (!has_ended_) waits_for_ = std::move(what);
  }
  void End() ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    has_ended_ = true;
  }
  /// Ok: it was. Unavailable: the text is what it waits for, in a few words.
  absl::Status Ended() const ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    return has_ended_ ? absl::OkStatus() : absl::UnavailableError(waits_for_);
  }

 private:
  mutable Mutex mutex_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::string waits_for_ ABSL_GUARDED_BY(mutex_) = "the first look at pools, claims and pods";
};

}  // namespace outrigger::devices::agent
