#include "control/retries.h"

#include <chrono>

#include "sdk/base/backoff.h"

namespace outrigger::devices::agent {
namespace {

constexpr std::chrono::milliseconds kFirstRetry{500};

}  // namespace

bool Retries::IsDue(const std::string& action) {
  const auto at = failed_.find(action);
  if (at == failed_.end()) return true;
  at->second.round = round_;
  return at->second.next <= now_();
}

bool Retries::Fail(const std::string& action, std::string text, Clock::Duration longest) {
  Failed& failed = failed_[action];
  const bool is_news = failed.count == 0 || failed.text != text;
  failed.next = now_() + Backoff<Clock::Duration>::After(++failed.count, kFirstRetry, longest);
  failed.round = round_;
  failed.text = std::move(text);
  return is_news;
}

void Retries::EndRound() {
  std::erase_if(failed_, [this](const auto& entry) { return entry.second.round != round_; });
}

std::optional<Clock::TimePoint> Retries::Next() const {
  std::optional<Clock::TimePoint> next;
  for (const auto& [action, failed] : failed_) {
    if (!next.has_value() || failed.next < *next) next = failed.next;
  }
  return next;
}

}  // namespace outrigger::devices::agent
