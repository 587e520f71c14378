#pragma once

#include <chrono>
#include <optional>

namespace outrigger::desk {

using Time = std::chrono::steady_clock::time_point;

/// The earliest of the times at which something is to be looked at again, or none.
class NextLook {
 public:
  void Reset() { at_.reset(); }
  void Add(Time at) {
    if (!at_ || at < *at_) at_ = at;
  }
  const std::optional<Time>& at() const { return at_; }

 private:
  std::optional<Time> at_;
};

}  // namespace outrigger::desk
