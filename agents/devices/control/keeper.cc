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

void Keeper::Lead(const std::stop_token& term) {
  custody_.Begin();
  while (!term.stop_requested()) {
    std::chrono::milliseconds next = kLongest;
    if (store_.Usable().ok()) {
      next = std::min(next, Rounded(custody_.Round(term)));
      next = std::min(next, Rounded(reports_.Round(store_)));
      if (const auto due = statuses_.Round(term); due.has_value()) {
        next = std::min(next, Rounded(*due));
      }
    } else {
      next = std::chrono::milliseconds(200);
    }
    pace_.Wait(std::max(next, std::chrono::milliseconds(1)), term);
    (void)clock_.sleep(kGathering, term);
  }
}

}  // namespace outrigger::devices::agent
