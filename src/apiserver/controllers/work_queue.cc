#include "apiserver/controllers/work_queue.h"

#include <algorithm>

namespace outrigger::apiserver {

constexpr std::chrono::milliseconds kFirstRetry{20};
constexpr int kMostDoublings = 10;  // 20 seconds

void WorkQueue::Push(const Task& task) {
  if (queued_.insert(task).second) tasks_.push_back(task);
}

void WorkQueue::PushAfter(const Task& task, Clock::Duration time) {
  const Clock::TimePoint at = now_() + std::max(time, Clock::Duration(0));
  const auto [known, is_new] = due_.try_emplace(task, at);
  if (!is_new) {
    if (known->second <= at) return;
    timers_.erase({known->second, task});
    known->second = at;
  }
  timers_.insert({at, task});
}

void WorkQueue::PushFailed(const Task& task) {
  int& failures = failures_[task];
  PushAfter(task, kFirstRetry * (1 << std::min(failures, kMostDoublings)));
  ++failures;
}

void WorkQueue::FireTimers() {
  const Clock::TimePoint now = now_();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const Task task = timers_.begin()->second;
    timers_.erase(timers_.begin());
    due_.erase(task);
    Push(task);
  }
}

std::optional<Task> WorkQueue::Pop() {
  if (tasks_.empty()) return std::nullopt;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  queued_.erase(task);
  return task;
}

std::optional<Clock::Duration> WorkQueue::UntilNextTimer() const {
  if (timers_.empty()) return std::nullopt;
  return std::max(timers_.begin()->first - now_(), Clock::Duration(0));
}

}  // namespace outrigger::apiserver
