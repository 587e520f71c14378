#include "calls/bind_slots.h"

namespace outrigger::gang {

std::unique_ptr<BindSlots::Slot> BindSlots::Take(const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (stop.stop_requested()) return nullptr;
  if (free_ > 0) {
    --free_;
    return std::make_unique<Slot>(this);
  }
  const auto own = waiting_.emplace(waiting_.end());
  const bool has_turn = own->wake.wait(lock, stop, [&] { return own->has_turn; });
  waiting_.erase(own);
  return has_turn ? std::make_unique<Slot>(this) : nullptr;
}

size_t BindSlots::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_.size();
}

// It goes to the first that has none yet, which leaves the list by itself.
void BindSlots::GiveBack() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Waiter& waiter : waiting_) {
    if (waiter.has_turn) continue;
    waiter.has_turn = true;
    waiter.wake.notify_one();
    return;
  }
  ++free_;
}

}  // namespace outrigger::gang
