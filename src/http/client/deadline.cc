#include "http/client/deadline.h"

#include <stop_token>
#include <utility>

#include "outrigger/base/clock.h"

namespace outrigger::http_client {
namespace {

constexpr std::chrono::milliseconds kAgain{10};

}  // namespace

Deadline::Deadline(std::chrono::milliseconds total, const std::stop_token& stop,
                   std::function<void()> end)
    : by_caller_(stop, [this] { early_.request_stop(); }),
      thread_([this, total, end = std::move(end)](const std::stop_token& destroyed) {
        SleepFor(total, early_.get_token());
        while (!destroyed.stop_requested()) {
          passed_ = true;
          end();
          SleepFor(kAgain, destroyed);
        }
      }) {}

Deadline::~Deadline() {
  thread_.request_stop();
  early_.request_stop();
}

}  // namespace outrigger::http_client
