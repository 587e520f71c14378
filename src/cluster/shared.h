#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

// What the persistent structures of this folder are made of: blocks of memory that versions share.
//
// One writer makes versions. Every block carries the writer's epoch at which it was made, and the
// epoch goes up when a version is handed out: a block of the present epoch is in no version that
// anybody else sees, so the writer changes it in place; every other block it copies first.

namespace outrigger::cluster {

/// Base of blocks. Counted, so that the last version that has it frees it, on whichever thread.
class Shared {
 public:
  explicit Shared(uint64_t epoch) : epoch_(epoch) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  uint64_t epoch() const { return epoch_; }

 private:
  template <typename T>
  friend class Ref;

  const uint64_t epoch_;
  mutable std::atomic<uint32_t> refs_ = 0;
};

/// A counted pointer to a T, which derives from Shared. Half the size of a std::shared_ptr.
template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* block) : block_(block) { Acquire(); }
  Ref(const Ref& other) : block_(other.block_) { Acquire(); }
  Ref(Ref&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Ref() {
    if (block_ != nullptr && block_->refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete block_;
    }
  }

  T* get() const { return block_; }
  T& operator*() const { return *block_; }
  T* operator->() const { return block_; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  void Acquire() {
    if (block_ != nullptr) block_->refs_.fetch_add(1, std::memory_order_relaxed);
  }

  T* block_ = nullptr;
};

/// The block of `ref`, which is not null, ready to be changed: a copy, put in its place, unless it
/// is of `epoch`. T has a constructor (const T&, uint64_t epoch).
template <typename T>
T& Own(Ref<T>& ref, uint64_t epoch) {
  if (ref->epoch() != epoch) ref = Ref<T>(new T(*ref, epoch));
  return *ref;
}

}  // namespace outrigger::cluster
