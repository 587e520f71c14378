#include "load/annotate/differ.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "absl/strings/numbers.h"
#include "load/annotate/node_values.h"

namespace outrigger::annotate {
namespace {

bool Moved(const std::string& now, const std::string& shown, double threshold) {
  if (now == shown) return false;
  double a = 0;
  double b = 0;
  if (threshold <= 0 || !absl::SimpleAtod(now, &a) || !absl::SimpleAtod(shown, &b)) return true;
  // Written so that NaN and infinity of a text from elsewhere count as moved.
  return !(std::abs(a - b) <= threshold * std::abs(b)) || !std::isfinite(b);
}

// A scrape that is missed makes no other window: each pass would patch each node.
bool IsNearly(int64_t window, int64_t other) {
  return std::abs(window - other) <= other / 10;
}

// Values that hardly move are still those of a window that ends later and later.
bool IsStale(const Measurement& now, const Annotations& shown, std::chrono::seconds refresh) {
  const auto found = shown.find(kMeasured);
  if (found == shown.end()) return true;
  const auto written = ParseMeasurement(found->second);
  if (!written || !IsNearly(written->window, now.window) || written->end > now.end) return true;
  return now.end - written->end >= std::min<int64_t>(refresh.count(), now.window);
}

// A value of an earlier measurement must not stand under the time of this one.
bool ShowsEarlierValues(const NodeValues& wanted, const Annotations& shown,
                        const std::vector<std::string>& overdue) {
  return std::any_of(
      wanted.missing.begin(), wanted.missing.end(), [&](const MissingValue& missing) {
        return shown.contains(missing.annotation) &&
               std::find(overdue.begin(), overdue.end(), missing.annotation) == overdue.end();
      });
}

}  // namespace

NodeChange Difference(const NodeValues& wanted, const Annotations& shown,
                      const std::vector<std::string>& overdue, const DiffPolicy& policy) {
  NodeChange change;
  bool is_worth_it = !overdue.empty();
  for (const auto& [key, text] : wanted.values) {
    const auto found = shown.find(key);
    if (found != shown.end() && found->second == text) continue;
    change[key] = text;
    is_worth_it =
        is_worth_it || found == shown.end() || Moved(text, found->second, policy.threshold);
  }
  if (wanted.measured && !wanted.values.empty() && !ShowsEarlierValues(wanted, shown, overdue)) {
    is_worth_it = is_worth_it || IsStale(*wanted.measured, shown, policy.refresh);
    std::string text = PrintMeasurement(*wanted.measured);
    const auto found = shown.find(kMeasured);
    if (found == shown.end() || found->second != text) {
      change[std::string(kMeasured)] = std::move(text);
    }
  }
  if (!is_worth_it) return {};
  for (const std::string& key : overdue) change[key] = std::nullopt;
  return change;
}

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
