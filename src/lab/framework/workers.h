#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "outrigger/base/mutex.h"

namespace outrigger::lab {

/// Runs tasks, each once. Thread-safe.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void Run(std::function<void()> task) = 0;
};

/// Runs each task at once, on the caller's thread.
class InlineExecutor final : public Executor {
 public:
  void Run(std::function<void()> task) override { task(); }
};

/// A number of threads that run tasks in the order in which they came. At its end those that have
/// begun are waited for, the others dropped.
class Workers final : public Executor {
 public:
  explicit Workers(size_t threads);
  ~Workers() override;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void Run(std::function<void()> task) override;
  /// Waits for the tasks that have begun; no other begins from then on. Not for tasks.
  void Stop();

 private:
  void Work(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable_any woken_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last
};

}  // namespace outrigger::lab
