#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "devices/writer/custodian.h"
#include "devices/writer/holdings.h"

namespace outrigger::devices {

IntentWatch::Key IntentWatch::KeyOf(const PoolObject& pool, const PoolEntry& intent) {
  return {pool.version.uid, intent.claim_uid, intent.pod_uid, intent.writer,
          intent.deadline.value_or(WallTime())};
}

// No intent is without a pod.
IntentWatch::Key IntentWatch::KeyOf(const PoolObject& pool, const ClaimObject& claim) {
  return {pool.version.uid, claim.version.uid, {}, {}, WallTime()};
}

void IntentWatch::Keep(Key key, Clock::TimePoint end, Ends* ends) const {
  const auto known = ends_.find(key);
  ends->emplace(std::move(key), known == ends_.end() ? end : known->second);
}

void IntentWatch::Look(std::span<const PoolObject> pools, std::span<const ClaimObject> claims,
                       WallTime wall, Clock::TimePoint now) {
  Ends ends;
  absl::flat_hash_map<std::string_view, const PoolObject*> by_name;
  for (const PoolObject& pool : pools) {
    by_name[pool.pool.name] = &pool;
    for (const PoolEntry& entry : pool.entries) {
      if (entry.confirmed || !entry.deadline.has_value()) continue;
      const WallTime longest = wall + kLongestIntent;  // so that the difference is in range
      const auto left = std::min(*entry.deadline, longest) - std::min(wall, *entry.deadline);
      const auto time = std::max<Clock::Duration>(
          intent_time_, std::chrono::duration_cast<Clock::Duration>(left));
      Keep(KeyOf(pool, entry), now + time, &ends);
    }
  }
  for (const ClaimObject& claim : claims) {
    for (const std::string& name : device_writer::PoolsOf(HoldingOf(claim))) {
      const auto pool = by_name.find(name);
      if (pool == by_name.end()) continue;
      if (device_writer::FindEntry(*pool->second, claim.version.uid) != nullptr) continue;
      Keep(KeyOf(*pool->second, claim), now + intent_time_, &ends);
    }
  }
  ends_ = std::move(ends);
  now_ = now;
}

bool IntentWatch::IsOver(const PoolObject& pool, const PoolEntry& intent) const {
  if (!intent.deadline.has_value()) return true;
  const auto known = ends_.find(KeyOf(pool, intent));
  return known != ends_.end() && known->second <= now_;
}

bool IntentWatch::IsOver(const PoolObject& pool, const ClaimObject& claim) const {
  const auto known = ends_.find(KeyOf(pool, claim));
  return known != ends_.end() && known->second <= now_;
}

std::optional<Clock::TimePoint> IntentWatch::Next() const {
  std::optional<Clock::TimePoint> next;
  for (const auto& [key, end] : ends_) {
    if (end > now_ && (!next.has_value() || end < *next)) next = end;
  }
  return next;
}

}  // namespace outrigger::devices
