#include "rejections.h"

namespace outrigger::safe {

std::optional<size_t> Rejections::NumberOf(const Verdict& verdict) {
  const auto known = numbers_.find(verdict.reason());
  if (known != numbers_.end()) return known->second;
  if (full()) return std::nullopt;
  verdicts_.push_back(verdict);
  numbers_.emplace(verdicts_.back().reason(), verdicts_.size() - 1);
  return verdicts_.size() - 1;
}

void Rejections::Clear() {
  numbers_.clear();
  verdicts_.clear();
}

}  // namespace outrigger::safe
