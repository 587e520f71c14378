#include "lab/framework/timers.h"

#include <utility>

namespace outrigger::lab {

ThreadTimers::ThreadTimers() : thread_([this](const std::stop_token& stop) { Run(stop); }) {}

ThreadTimers::~ThreadTimers() {
  Stop();
}

void ThreadTimers::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

Clock::TimePoint ThreadTimers::Now() const {
  return std::chrono::steady_clock::now();
}

void ThreadTimers::At(Clock::TimePoint when, std::function<void()> task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.emplace(when, std::move(task));
  }
  woken_.notify_one();
}

void ThreadTimers::Run(const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop.stop_requested()) {
    if (tasks_.empty()) {
      woken_.wait(lock, stop, [this] { return !tasks_.empty(); });
      continue;
    }
    const Clock::TimePoint due = tasks_.begin()->first;
    if (Now() < due) {
      woken_.wait_until(lock, stop, due, [&] { return tasks_.begin()->first < due; });
      continue;
    }
    const std::function<void()> task = std::move(tasks_.extract(tasks_.begin()).mapped());
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace outrigger::lab
