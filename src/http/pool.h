#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// Raw memory that grows. Not filled: touching fresh pages costs more than copying a body.
class Buffer {
 public:
  Buffer() = default;

  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  size_t capacity() const { return capacity_; }

  /// Room for at least `size` bytes, of which the first `used` are kept. A bit more is taken, so
  /// that the next, slightly larger body finds room too.
  void Reserve(size_t size, size_t used) {
    if (size <= capacity_) return;
    const size_t capacity = size + size / 8;
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (used > 0) std::memcpy(bytes.get(), bytes_.get(), used);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
};

/// Memory to be used again, last in first out, shared by all workers: at 78 MB the page faults of
/// fresh memory cost several times what a copy costs, and a buffer per thread would multiply.
/// T has capacity() and is empty when made. Thread-safe.
template <typename T>
class Pool {
 public:
  /// Keeps at most `max_count` items with at most `max_bytes` of capacity in all.
  Pool(size_t max_count, size_t max_bytes) : max_count_(max_count), max_bytes_(max_bytes) {}

  /// The item given back last that has room for `size` bytes, else a fresh one. In the second case
  /// the last item, if any, is freed: it was too small and a larger one will take its place.
  T Take(size_t size) {
    T taken;
    T too_small;
    const MutexLock lock(mutex_);
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [size](const Kept& kept) {
      return kept.item.capacity() >= size;
    });
    if (found != kept_.rend()) {
      taken = std::move(found->item);
      bytes_ -= taken.capacity();
      kept_.erase(std::next(found).base());
    } else if (!kept_.empty()) {
      too_small = std::move(kept_.back().item);
      bytes_ -= too_small.capacity();
      kept_.pop_back();
    }
    return taken;
  }

  void Give(T item) {
    const size_t size = item.capacity();
    if (size == 0 || size > max_bytes_ || max_count_ == 0) return;
    std::vector<Kept> dropped;  // freed behind the lock
    const MutexLock lock(mutex_);
    while (kept_.size() >= max_count_ || bytes_ + size > max_bytes_) {
      bytes_ -= kept_.front().item.capacity();
      dropped.push_back(std::move(kept_.front()));
      kept_.erase(kept_.begin());
    }
    kept_.push_back({std::move(item), round_});
    bytes_ += size;
  }

  /// Frees what nobody has used since the last Trim().
  void Trim() {
    std::vector<Kept> dropped;
    const MutexLock lock(mutex_);
    // Last in first out: what lies unused is at the front, oldest first.
    while (!kept_.empty() && kept_.front().round < round_) {
      bytes_ -= kept_.front().item.capacity();
      dropped.push_back(std::move(kept_.front()));
      kept_.erase(kept_.begin());
    }
    ++round_;
  }

  size_t count() const {
    const MutexLock lock(mutex_);
    return kept_.size();
  }
  size_t bytes() const {
    const MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  struct Kept {
    T item;
    uint64_t round;
  };

  const size_t max_count_;
  const size_t max_bytes_;
  mutable Mutex mutex_;
  std::vector<Kept> kept_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t round_ ABSL_GUARDED_BY(mutex_) = 0;
};

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
