#include "agent_client/deadline.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace outrigger::agent_client {
namespace {

constexpr std::chrono::milliseconds kAgain{10};

/// Returns after `time`, or at once if stop is requested.
void Wait(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

Deadline::Deadline(std::chrono::milliseconds total, std::function<void()> end)
    : thread_([this, total, end = std::move(end)](const std::stop_token& stop) {
        Wait(stop, total);
        while (!stop.stop_requested()) {
          passed_ = true;
          end();
          Wait(stop, kAgain);
        }
      }) {}

}  // namespace outrigger::agent_client
