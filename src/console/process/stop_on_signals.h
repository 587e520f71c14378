#pragma once

#include <signal.h>

#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

namespace outrigger::cli {

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop, for commands that have to tidy up. As
/// long as it lives, these signals and SIGWINCH do nothing else. Make it while the process has no
/// thread that takes signals: threads that are made later leave them to it.
class StopOnSignals {
 public:
  /// `on_resize`, which may be null, is called for SIGWINCH, from a thread of its own.
  explicit StopOnSignals(std::function<void()> on_resize = nullptr);
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  void RequestStop() { stop_.request_stop(); }

 private:
  void Watch();

  const std::function<void()> on_resize_;
  std::stop_source stop_;
  std::atomic<bool> ended_ = false;
  sigset_t before_{};
  std::thread thread_;
};

}  // namespace outrigger::cli
