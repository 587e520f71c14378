#include "kube/write/event_series.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace outrigger::kube {
namespace {

// Unit separator: in none of the parts.
constexpr char kBetween = '\x1f';

std::string KeyOf(const EventObject& object) {
  return object.api_version + kBetween + object.kind + kBetween + object.namespace_ + kBetween +
         object.name + kBetween + object.uid;
}

// Notes are long, and thousands of events are remembered: of each there is a hash. Another note
// needs another object, as the API server lets nobody change that of one.
std::string KeyOf(const Event& event) {
  return KeyOf(event.regarding) + kBetween + (event.warning ? "Warning" : "Normal") + kBetween +
         event.reason + kBetween + event.action + kBetween +
         std::to_string(std::hash<std::string_view>()(event.note));
}

}  // namespace

EventSeries::EventSeries(const EventOptions& options)
    : burst_(std::max(options.burst, 1.0)),
      refill_(options.refill),
      series_(options.series),
      buckets_(options.remembered),
      entries_(options.remembered) {}

EventSeries::Entry* EventSeries::Admit(const Event& event, Clock::TimePoint now) {
  Bucket& bucket = buckets_[KeyOf(event.regarding)];
  if (!bucket.tokens) {
    bucket.tokens = burst_;
  } else {
    const std::chrono::duration<double> passed = now - bucket.filled;
    bucket.tokens =
        std::min(burst_, *bucket.tokens + passed / std::chrono::duration<double>(refill_));
  }
  bucket.filled = now;
  if (*bucket.tokens < 1) return nullptr;
  bucket.tokens = *bucket.tokens - 1;

  Entry& entry = entries_[KeyOf(event)];
  // A series that has ended stays as it is; what comes now begins another.
  if (entry.count > 0 && now - entry.last >= series_) entry = Entry();
  ++entry.count;
  entry.last = now;
  return &entry;
}

}  // namespace outrigger::kube
