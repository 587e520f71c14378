#include "usage/query_fates.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "usage/prometheus_client.h"

namespace outrigger::usage {
namespace {

// One node alone may be too much, with very many series.
constexpr int kMostRefusedAlone = 2;

}  // namespace

void QueryFates::Note(size_t target, size_t nodes, Outcome outcome, const absl::Status& status) {
  const MutexLock lock(mutex_);
  Target& entry = targets_[target];
  const bool is_silent = outcome == Outcome::kTooSlow || outcome == Outcome::kSilent;
  silent_ = is_silent ? silent_ + 1 : 0;
  if (is_silent) why_silent_ = std::string(status.message());
  was_slow_ = was_slow_ || outcome == Outcome::kTooSlow;
  if (outcome == Outcome::kAnswered) {
    entry.answered = true;
    return;
  }
  if (first_failure_.ok()) first_failure_ = status;
  if (outcome != Outcome::kTooMuch) return;
  entry.refused = true;
  entry.why = std::string(status.message());
  if (nodes == 1) ++entry.refused_alone;
}

std::optional<std::string> QueryFates::WhyNotAsk(size_t target) const {
  const MutexLock lock(mutex_);
  if (silent_ >= most_silent_) {
    return fmt::format("not asked, since {} calls in a row had no answer in time: {}", silent_,
                       why_silent_);
  }
  const auto entry = targets_.find(target);
  if (entry == targets_.end() || entry->second.answered) return std::nullopt;
  if (entry->second.refused_alone < kMostRefusedAlone) return std::nullopt;
  return entry->second.why;
}

bool QueryFates::are_smaller_better() const {
  const MutexLock lock(mutex_);
  return was_slow_ || std::any_of(targets_.begin(), targets_.end(), [](const auto& target) {
           return target.second.refused && target.second.answered;
         });
}

absl::Status QueryFates::NothingAnswered() const {
  const MutexLock lock(mutex_);
  const bool is_one_answered = std::any_of(
      targets_.begin(), targets_.end(), [](const auto& target) { return target.second.answered; });
  return is_one_answered ? absl::OkStatus() : first_failure_;
}

}  // namespace outrigger::usage
