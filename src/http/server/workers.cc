#include "http/server/workers.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>
#include <utility>

namespace outrigger::http {
namespace {

// sched_setattr(2), which Debian 12's libc has no header for.
struct Attributes {
  uint32_t size = sizeof(Attributes);
  uint32_t policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;  // of SCHED_OTHER: the length of a turn, in nanoseconds
  uint64_t deadline = 0;
  uint64_t period = 0;
};

constexpr uint32_t kOther = 0;           // SCHED_OTHER
constexpr uint64_t kShortest = 100'000;  // what the kernel allows

}  // namespace

void Workers::Run(std::function<void()> task) {
  Threads ended;
  {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
    if (tasks_.size() > idle_ && threads_.size() < max_threads_) StartThread();
    ended.swap(ended_);
  }
  task_or_end_.notify_one();
  Join(std::move(ended));
}

void Workers::StartThread() {
  const auto self = threads_.emplace(threads_.end());
  try {
    *self = std::thread([this, self] { Work(self); });
  } catch (const std::system_error&) {
    // No thread to be had now: the task waits for one that is at work.
    threads_.erase(self);
  }
}

void Workers::Work(Threads::iterator self) {
  AskForShortTurns();
  MutexLock lock(mutex_);
  for (;;) {
    ++idle_;
    const bool woken = task_or_end_.wait_for(
        lock, keep_idle_,
        [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !tasks_.empty() || finishing_; });
    --idle_;
    if (!woken || tasks_.empty()) break;
    {
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
    lock.lock();
  }
  ended_.splice(ended_.end(), threads_, self);
  thread_ended_.notify_all();
}

void Workers::Finish() {
  MutexLock lock(mutex_);
  finishing_ = true;
  task_or_end_.notify_all();
  thread_ended_.wait(lock,
                     [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return threads_.empty(); });
  Threads ended;
  ended.swap(ended_);
  lock.unlock();
  Join(std::move(ended));
}

size_t Workers::size() const {
  const MutexLock lock(mutex_);
  return threads_.size();
}

void Workers::Join(Threads threads) {
  for (std::thread& thread : threads) thread.join();
}

void AskForShortTurns() {
  Attributes attributes;
  // What an administrator has set (nice, another policy) stays.
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != kOther) return;
  attributes.size = sizeof(attributes);
  attributes.runtime = kShortest;
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &attributes, 0));
}

}  // namespace outrigger::http
