#include "annotate/forgetting.h"

#include <algorithm>

#include "annotate/measurement.h"

namespace outrigger::annotate {
namespace {

enum class Presence : uint8_t { kThere, kStays, kMissing };

Presence PresenceOf(const std::string& key, const NodeValues& wanted) {
  if (wanted.values.contains(key)) return Presence::kThere;
  // The time of the measurement goes with the last value.
  const bool is_time = key == kMeasured;
  if (is_time && wanted.measured && !wanted.values.empty()) return Presence::kThere;
  const auto stays = [&](const MissingValue& missing) {
    return missing.lack == Lack::kNotYet && (is_time || missing.annotation == key);
  };
  return std::any_of(wanted.missing.begin(), wanted.missing.end(), stays) ? Presence::kStays
                                                                          : Presence::kMissing;
}

}  // namespace

std::vector<std::string> Forgetting::Due(const NodeValues& wanted, const Annotations& shown,
                                         Clock::TimePoint now) {
  std::vector<std::string> due;
  Since since;
  for (const std::string& key : keys_) {
    if (!shown.contains(key) || PresenceOf(key, wanted) != Presence::kMissing) continue;
    Clock::TimePoint began = now;
    if (const auto node = missing_.find(wanted.node); node != missing_.end()) {
      if (const auto known = node->second.find(key); known != node->second.end()) {
        began = known->second;
      }
    }
    if (now - began >= after_) due.push_back(key);
    since.emplace(key, began);
  }
  if (since.empty()) {
    if (const auto node = missing_.find(wanted.node); node != missing_.end()) missing_.erase(node);
  } else {
    missing_.insert_or_assign(wanted.node, std::move(since));
  }
  return due;
}

void Forgetting::Retain(const std::function<bool(std::string_view node)>& is_there) {
  std::erase_if(missing_, [&](const auto& entry) { return !is_there(entry.first); });
}

}  // namespace outrigger::annotate
