#include "devices/allocation/demand/matches.h"

#include <algorithm>
#include <string>

namespace outrigger::devices {

void Matches::Add(Match match, std::string_view error) {
  size_t at = 0;
  if (match == Match::kFails) {
    at = static_cast<size_t>(std::find(errors_.begin(), errors_.end(), error) - errors_.begin());
    if (at == errors_.size() && at < kMostErrors) errors_.emplace_back(error);
    at = std::min(at, kMostErrors - 1);
  }
  of_.push_back(static_cast<uint8_t>(static_cast<size_t>(match) + at));
}

size_t Matches::bytes() const {
  size_t bytes = of_.size();
  for (const std::string& error : errors_) bytes += error.size();
  return bytes;
}

std::string_view Matches::ErrorOf(SetId set) const {
  if (Of(set) != Match::kFails) return {};
  return errors_[of_[static_cast<size_t>(set)] - static_cast<size_t>(Match::kFails)];
}

}  // namespace outrigger::devices
