#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace outrigger::testing {

/// Holds calls back until a test lets them go. Thread-safe.
class Gate {
 public:
  /// Blocks until Open().
  void Pass() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    arrived_.notify_all();
    opened_.wait(lock, [this] { return open_; });
    --waiting_;
  }

  /// Until `count` calls are held; false if they are not after 20 seconds.
  bool AwaitHeld(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    return arrived_.wait_for(lock, std::chrono::seconds(20),
                             [this, count] { return waiting_ >= count; });
  }

  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;  // apart, or each arrival would wake all who are held
  std::condition_variable opened_;
  size_t waiting_ = 0;
  bool open_ = false;
};

/// Opens a gate at the end of its scope, so that a failed test ends too. To be declared behind what
/// waits for the held calls.
class OpensAtEnd {
 public:
  explicit OpensAtEnd(Gate& gate) : gate_(gate) {}
  OpensAtEnd(const OpensAtEnd&) = delete;
  OpensAtEnd& operator=(const OpensAtEnd&) = delete;
  ~OpensAtEnd() { gate_.Open(); }

 private:
  Gate& gate_;
};

}  // namespace outrigger::testing
