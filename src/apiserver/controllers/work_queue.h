#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "apiserver/store/store.h"
#include "outrigger/base/clock.h"

// What is to be looked at, now or later.

namespace outrigger::apiserver {

class Reconciler;

/// An object that a reconciler has to look at.
struct Task {
  Reconciler* reconciler = nullptr;
  const Collection* collection = nullptr;
  ObjectName name;
  friend auto operator<=>(const Task&, const Task&) = default;
};

/// Tasks in the order in which they came, each once. One thread's.
class WorkQueue {
 public:
  explicit WorkQueue(SteadyNow now) : now_(std::move(now)) {}

  void Push(const Task& task);
  /// Of several times that are asked for a task the first counts: who looks asks again.
  void PushAfter(const Task& task, Clock::Duration time);
  /// Again, after a time that doubles with each failure in a row.
  void PushFailed(const Task& task);
  void SetDone(const Task& task) { failures_.erase(task); }

  /// Moves what is due to the others.
  void FireTimers();
  std::optional<Task> Pop();
  bool empty() const { return tasks_.empty(); }
  /// Nothing: no timer runs.
  std::optional<Clock::Duration> UntilNextTimer() const;

 private:
  const SteadyNow now_;
  std::deque<Task> tasks_;
  std::set<Task> queued_;
  std::map<Task, Clock::TimePoint> due_;
  std::set<std::pair<Clock::TimePoint, Task>> timers_;
  std::map<Task, int> failures_;
};

}  // namespace outrigger::apiserver
