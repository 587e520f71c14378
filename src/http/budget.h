#pragma once

#include <atomic>
#include <cstddef>

namespace outrigger::http {

/// Bytes that all connections together may hold. Thread-safe.
class Budget {
 public:
  explicit Budget(size_t limit) : limit_(limit) {}

  /// False, and nothing taken, if that would pass the limit.
  bool Take(size_t bytes) {
    size_t held = held_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - held) return false;
    } while (!held_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
    return true;
  }
  void Give(size_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }

  size_t held() const { return held_.load(std::memory_order_relaxed); }

 private:
  const size_t limit_;
  std::atomic<size_t> held_{0};
};

}  // namespace outrigger::http
