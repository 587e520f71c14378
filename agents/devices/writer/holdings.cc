#include "devices/writer/holdings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/time/time.h"
#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

bool IsBefore(const Allocation& a, const Allocation& b) {
  if (a.pool != b.pool) return a.pool < b.pool;
  if (a.device != b.device) return a.device < b.device;
  if (a.admin_access != b.admin_access) return b.admin_access;
  return std::lexicographical_compare(a.amounts.begin(), a.amounts.end(), b.amounts.begin(),
                                      b.amounts.end());
}

auto EntryOf(std::string_view claim_uid, std::vector<PoolEntry>* entries) {
  return std::find_if(entries->begin(), entries->end(),
                      [claim_uid](const PoolEntry& entry) { return entry.claim_uid == claim_uid; });
}

}  // namespace

std::vector<Allocation> Normal(std::vector<Allocation> holding) {
  std::sort(holding.begin(), holding.end(), IsBefore);
  std::vector<Allocation> normal;
  for (Allocation& held : holding) {
    const bool counts = held.device.empty() && !normal.empty() && normal.back().device.empty() &&
                        normal.back().pool == held.pool &&
                        normal.back().admin_access == held.admin_access;
    if (counts) {
      normal.back().count += held.count;
    } else {
      normal.push_back(std::move(held));
    }
  }
  return normal;
}

bool SameHolding(const std::vector<Allocation>& a, const std::vector<Allocation>& b) {
  return Normal(a) == Normal(b);
}

std::vector<Allocation> Of(std::string_view pool, const std::vector<Allocation>& allocations) {
  std::vector<Allocation> found;
  std::copy_if(allocations.begin(), allocations.end(), std::back_inserter(found),
               [pool](const Allocation& held) { return held.pool == pool; });
  return found;
}

std::set<std::string> PoolsOf(const std::vector<Allocation>& allocations) {
  std::set<std::string> pools;
  for (const Allocation& held : allocations) pools.insert(held.pool);
  return pools;
}

const PoolEntry* FindEntry(const PoolObject& pool, std::string_view claim_uid) {
  for (const PoolEntry& entry : pool.entries) {
    if (entry.claim_uid == claim_uid) return &entry;
  }
  return nullptr;
}

void EraseEntry(std::string_view claim_uid, std::vector<PoolEntry>* entries) {
  const auto at = EntryOf(claim_uid, entries);
  if (at != entries->end()) entries->erase(at);
}

void PutEntry(PoolEntry entry, std::vector<PoolEntry>* entries) {
  const auto at = EntryOf(entry.claim_uid, entries);
  if (at != entries->end()) {
    *at = std::move(entry);
  } else {
    entries->push_back(std::move(entry));
  }
}

bool IsDue(const PoolEntry& entry, WallTime now) {
  return !entry.confirmed && entry.deadline.value_or(WallTime::min()) <= now;
}

bool HasPod(const ClaimObject& claim, std::string_view pod_uid) {
  return std::any_of(claim.pods.begin(), claim.pods.end(),
                     [pod_uid](const devices::PodReference& pod) { return pod.uid == pod_uid; });
}

std::string TimeText(WallTime time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

std::string FenceMessage(const PoolEntry& intent, const ClaimObject& claim) {
  return fmt::format("intent of {} for pod {} with deadline {} is void, as of version {}",
                     intent.writer.empty() ? "an unknown writer" : intent.writer,
                     intent.pod_name.empty() ? intent.pod_uid : intent.pod_name,
                     intent.deadline.has_value() ? TimeText(*intent.deadline) : "none",
                     claim.version.resource_version);
}

}  // namespace outrigger::device_writer
