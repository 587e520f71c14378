#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <thread>

#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// Threads that are made when a task finds none idle and that end when they find no task for a
/// while. Thread-safe.
class Workers {
 public:
  Workers(size_t max_threads, std::chrono::milliseconds keep_idle)
      : max_threads_(max_threads), keep_idle_(keep_idle) {}
  ~Workers() { Finish(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Runs `task` at once, or, with `max_threads` at work, as soon as one is done. `task` must not
  /// throw. Not after Finish().
  void Run(std::function<void()> task);

  /// Returns when all tasks are done and all threads have ended. Idempotent.
  void Finish();

  /// Threads that live.
  size_t size() const;

 private:
  using Threads = std::list<std::thread>;
  void Work(Threads::iterator self);
  void StartThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Join(Threads threads);

  const size_t max_threads_;
  const std::chrono::milliseconds keep_idle_;
  mutable Mutex mutex_;
  std::condition_variable_any task_or_end_;
  std::condition_variable_any thread_ended_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
  Threads threads_ ABSL_GUARDED_BY(mutex_);
  Threads ended_ ABSL_GUARDED_BY(mutex_);  // to be joined
  size_t idle_ ABSL_GUARDED_BY(mutex_) = 0;
  bool finishing_ ABSL_GUARDED_BY(mutex_) = false;
};

/// Asks the kernel that the calling thread run soon after it wakes, in turns of 0.1 ms if others
/// want the processor, too: who has a short turn is chosen earlier (EEVDF, Linux 6.12 and later).
/// Its share of the processor stays the same. Where the kernel does not know or forbids that,
/// nothing happens.
void AskForShortTurns();

}  // namespace outrigger::http
