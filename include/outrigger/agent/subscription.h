#pragma once

#include <functional>
#include <utility>

namespace outrigger {

/// Keeps a callback registered as long as it lives. It may outlive the object at which the callback
/// is registered. Movable; not thread-safe.
///
///     Subscription changes = reader->OnChange([this] { Nudge(); });
class [[nodiscard]] Subscription {
 public:
  /// Holds nothing.
  Subscription() = default;
  /// Calls `end` once, on destruction.
  explicit Subscription(std::function<void()> end) : end_(std::move(end)) {}
  Subscription(Subscription&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      End();
      end_ = std::exchange(other.end_, nullptr);
    }
    return *this;
  }
  ~Subscription() { End(); }

  /// Ends the registration now. When it returns, no call of the callback is running and none
  /// follows. So the callback must not call it, and the caller must not hold a lock that the
  /// callback takes.
  void End() {
    if (const auto end = std::exchange(end_, nullptr)) end();
  }

 private:
  std::function<void()> end_;
};

}  // namespace outrigger
