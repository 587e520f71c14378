#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>

namespace outrigger::gang {

/// Bounds how many bindings are written at once. Whoever comes first is served first: members of
/// gangs come together, so a gang is whole before the next one begins, and no connections are made
/// for calls that the API server could only queue. Thread-safe.
class BindSlots {
 public:
  explicit BindSlots(size_t count) : free_(count) {}

  /// Given back when it is destroyed, which is before the slots are.
  class Slot {
   public:
    explicit Slot(BindSlots* of) : of_(of) {}
    ~Slot() { of_->GiveBack(); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    BindSlots* const of_;
  };
  /// Waits for its turn; null once `stop` is requested.
  std::unique_ptr<Slot> Take(const std::stop_token& stop);
  /// So many wait for their turn.
  size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable_any wake;
    bool has_turn = false;
  };
  void GiveBack();

  mutable std::mutex mutex_;  // guards what follows
  size_t free_;
  std::list<Waiter> waiting_;
};

}  // namespace outrigger::gang
