#include "lab/framework/timers.h"

#include <utility>

#include "outrigger/base/mutex.h"

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
    const MutexLock lock(mutex_);
    tasks_.emplace(when, std::move(task));
  }
  woken_.notify_one();
}

void ThreadTimers::Run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (tasks_.empty()) {
      woken_.wait(lock, stop,
                  [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !tasks_.empty(); });
      continue;
    }
    const Clock::TimePoint due = tasks_.begin()->first;
    if (Now() < due) {
      woken_.wait_until(lock, stop, due, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return tasks_.begin()->first < due;
      });
      continue;
    }
    const std::function<void()> task = std::move(tasks_.extract(tasks_.begin()).mapped());
    lock.unlock();
    task();
    lock.lock();
  }
}

struct ScopedTimers::Gate {
  Mutex mutex;
  bool open ABSL_GUARDED_BY(mutex) = true;
};

ScopedTimers::ScopedTimers(Timers* timers) : timers_(timers), gate_(std::make_shared<Gate>()) {}

ScopedTimers::~ScopedTimers() {
  const MutexLock lock(gate_->mutex);
  gate_->open = false;
}

void ScopedTimers::At(Clock::TimePoint when, std::function<void()> task) {
  timers_->At(when, [gate = gate_, task = std::move(task)] {
    const MutexLock lock(gate->mutex);
    if (gate->open) task();
  });
}

}  // namespace outrigger::lab
