#include "control/keeper.h"

#include <algorithm>
#include <chrono>

namespace outrigger::devices::agent {
namespace {

// Changes that come together are looked at together.
constexpr std::chrono::milliseconds kGathering{50};
constexpr std::chrono::milliseconds kLongest{10'000};

std::chrono::milliseconds Rounded(Clock::Duration time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time);
}

}  // namespace

std::chrono::milliseconds Keeper::WriteStatuses(const std::stop_token& term) {
  const bool has_changed = are_statuses_due_.exchange(false);
  if (has_changed || (next_statuses_.has_value() && clock_.now() >= *next_statuses_)) {
    const auto due = statuses_.Round(term);
    next_statuses_ = due.has_value() ? std::optional(clock_.now() + *due) : std::nullopt;
  }
  return next_statuses_.has_value() ? Rounded(*next_statuses_ - clock_.now()) : kLongest;
}

void Keeper::Lead(const std::stop_token& term) {
  are_statuses_due_ = true;
  custody_.Begin();
  while (!term.stop_requested()) {
    std::chrono::milliseconds next = kLongest;
    if (store_.Usable().ok()) {
      next = std::min(next, Rounded(custody_.Round(term)));
      next = std::min(next, Rounded(reports_.Round(store_)));
      next = std::min(next, WriteStatuses(term));
    } else {
      next = std::chrono::milliseconds(200);
    }
    pace_.Wait(std::max(next, std::chrono::milliseconds(1)), term);
    (void)clock_.sleep(kGathering, term);
  }
}

}  // namespace outrigger::devices::agent
