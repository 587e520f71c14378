#include "pace.h"

namespace outrigger::penalty {

void Pace::Wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_woken_ = true;
  changed_.notify_all();
}

void Pace::Wait(std::optional<std::chrono::milliseconds> time, const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_over = [this] { return is_woken_ || is_finishing_; };
  if (time) {
    changed_.wait_for(lock, stop, *time, is_over);
  } else {
    changed_.wait(lock, stop, is_over);
  }
  is_woken_ = false;
}

void Pace::BeginTerm() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_leading_ = true;
}

void Pace::EndTerm() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_leading_ = false;
  changed_.notify_all();
}

bool Pace::IsFinishing() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_finishing_;
}

void Pace::Finish(std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  is_finishing_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, limit, [this] { return !is_leading_; });
}

}  // namespace outrigger::penalty
