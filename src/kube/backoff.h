#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace outrigger::kube {

/// How waits grow. The defaults are those of client-go's reflector.
struct BackoffOptions {
  std::chrono::milliseconds first{800};
  std::chrono::milliseconds cap{30'000};  // of the wait before jitter
  double factor = 2;
  double jitter = 1;  // a wait of d becomes one of d .. d * (1 + jitter)
  /// A wait asked for later than this after the last one is a first one again.
  std::chrono::milliseconds reset_after{120'000};
};

/// Waits between attempts that fail: they grow up to a cap, and begin anew after a quiet while.
/// Not thread-safe.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  /// `random` gives numbers in [0, 1).
  Backoff(const BackoffOptions& options, std::function<double()> random);

  /// How long to wait before the next attempt.
  std::chrono::milliseconds Next(Clock::time_point now);

 private:
  const BackoffOptions options_;
  const std::function<double()> random_;
  std::chrono::milliseconds next_;  // without jitter
  std::optional<Clock::time_point> last_asked_;
};

}  // namespace outrigger::kube
