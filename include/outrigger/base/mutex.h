#pragma once

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace outrigger {

/// std::mutex for clang's -Wthread-safety: a member names its mutex with ABSL_GUARDED_BY, and clang
/// rejects code that uses it without the lock. It wraps std::mutex, which the thread sanitizer
/// knows. Functions have the names of the standard library, so that std::condition_variable_any and
/// std::unique_lock can use them.
class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  bool try_lock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  /// Checks nothing: for code where clang does not see that the caller holds the lock, as where a
  /// std::unique_lock is a member.
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  std::mutex mutex_;
};

/// Holds a Mutex from its construction to its end, except between unlock() and lock(). Not
/// thread-safe.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() {
    if (is_held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() ABSL_UNLOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    is_held_ = false;
    mutex_.unlock();
  }
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    mutex_.lock();
    is_held_ = true;
  }

 private:
  Mutex& mutex_;
  bool is_held_ = true;
};

}  // namespace outrigger
