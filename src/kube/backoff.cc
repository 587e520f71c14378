#include "kube/backoff.h"

#include <algorithm>
#include <utility>

namespace outrigger::kube {
namespace {

std::chrono::milliseconds Times(std::chrono::milliseconds time, double factor) {
  return std::chrono::milliseconds(
      static_cast<std::chrono::milliseconds::rep>(static_cast<double>(time.count()) * factor));
}

}  // namespace

Backoff::Backoff(const BackoffOptions& options, std::function<double()> random)
    : options_(options), random_(std::move(random)), next_(options.first) {}

std::chrono::milliseconds Backoff::Next(Clock::time_point now) {
  if (last_asked_ && now - *last_asked_ > options_.reset_after) next_ = options_.first;
  last_asked_ = now;
  const std::chrono::milliseconds wait = next_;
  next_ = std::min(Times(next_, options_.factor), options_.cap);
  return Times(wait, 1 + options_.jitter * random_());
}

}  // namespace outrigger::kube
