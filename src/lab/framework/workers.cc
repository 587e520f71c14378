#include "lab/framework/workers.h"

#include <stop_token>
#include <utility>

namespace outrigger::lab {

Workers::Workers(size_t threads) {
  threads_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
}

Workers::~Workers() {
  Stop();
}

void Workers::Stop() {
  // All at once: joining one after the other would let the rest begin further tasks.
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Workers::Run(std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  woken_.notify_one();
}

void Workers::Work(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (woken_.wait(lock, stop, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !tasks_.empty();
  }) && !stop.stop_requested()) {
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace outrigger::lab
