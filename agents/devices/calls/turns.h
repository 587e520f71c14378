#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "outrigger/base/mutex.h"

namespace outrigger::devices::agent {

/// Pods that are being served: one call at a time for each. Thread-safe.
class Turns {
 public:
  /// The right to serve a pod. Whatever ends the call, its end gives the right back.
  class Turn {
   public:
    Turn(Turns* of, std::string uid) : of_(of), uid_(std::move(uid)) {}
    Turn(Turn&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), uid_(std::move(other.uid_)) {}
    Turn& operator=(Turn&&) = delete;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (of_ != nullptr) of_->End(uid_);
    }

   private:
    Turns* of_;
    std::string uid_;
  };

  /// Nothing: another call has it. Its end comes before that of this object.
  std::optional<Turn> Take(std::string_view uid) ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    if (!taken_.emplace(uid).second) return std::nullopt;
    return std::optional<Turn>(std::in_place, this, std::string(uid));
  }

 private:
  void End(const std::string& uid) ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    taken_.erase(uid);
  }

  Mutex mutex_;
  std::set<std::string, std::less<>> taken_ ABSL_GUARDED_BY(mutex_);  // UIDs of pods
};

}  // namespace outrigger::devices::agent
