#include "http_client/deadline.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace outrigger::http_client {
namespace {

constexpr std::chrono::milliseconds kAgain{10};

/// Returns after `time`, or at once if `stop` is requested.
void Wait(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

Deadline::Deadline(std::chrono::milliseconds total, const std::stop_token& stop,
                   std::function<void()> end)
    : by_caller_(stop, [this] { early_.request_stop(); }),
      thread_([this, total, end = std::move(end)](const std::stop_token& destroyed) {
        Wait(early_.get_token(), total);
        while (!destroyed.stop_requested()) {
          passed_ = true;
          end();
          Wait(destroyed, kAgain);
        }
      }) {}

Deadline::~Deadline() {
  thread_.request_stop();
  early_.request_stop();
}

}  // namespace outrigger::http_client
