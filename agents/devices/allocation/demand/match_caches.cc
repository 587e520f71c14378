#include "devices/allocation/demand/match_caches.h"

#include <algorithm>
#include <limits>

#include "fmt/format.h"

namespace outrigger::devices {
namespace {

// In units of CEL's cost, of about 10 ns: half a second at once, and a twelfth of a processor.
constexpr int64_t kMostAtOnce = 50'000'000;
constexpr int64_t kPerSecond = 8'000'000;
constexpr int64_t kMostOfCall = 20'000'000;

constexpr size_t kMostCaches = 1024;
constexpr size_t kMostBytes = size_t{96} << 20U;
// The bytes of all are counted after so many looks: that costs a look at each query.
constexpr uint64_t kLooks = 64;

int64_t Earned(std::chrono::nanoseconds time) {
  return static_cast<int64_t>(std::chrono::duration<double>(time).count() * kPerSecond);
}

}  // namespace

std::shared_ptr<MatchCache> MatchCaches::Of(const std::string& namespace_, uint64_t epoch) {
  const MutexLock lock(mutex_);
  Entry& entry = caches_[{namespace_, epoch}];
  if (entry.cache == nullptr) entry.cache = std::make_shared<MatchCache>(selectors_);
  entry.used = ++uses_;
  std::shared_ptr<MatchCache> cache = entry.cache;
  if (caches_.size() > kMostCaches || uses_ % kLooks == 0) Forget();
  return cache;
}

// What was not used for the longest time goes, until a half is free.
void MatchCaches::Forget() {
  size_t bytes = 0;
  std::map<uint64_t, std::pair<std::string, uint64_t>> by_use;
  for (const auto& [key, entry] : caches_) {
    bytes += entry.cache->bytes();
    by_use.emplace(entry.used, key);
  }
  if (caches_.size() <= kMostCaches && bytes <= kMostBytes) return;
  for (const auto& [used, key] : by_use) {
    if (used == uses_ || (caches_.size() <= kMostCaches / 2 && bytes <= kMostBytes / 2)) return;
    const auto at = caches_.find(key);
    bytes -= at->second.cache->bytes();
    caches_.erase(at);
  }
}

int64_t MatchCaches::LeftOf(const std::string& namespace_) {
  if (now_ == nullptr) return std::numeric_limits<int64_t>::max();
  const Time now = now_();
  const MutexLock lock(mutex_);
  const auto at = shares_.find(namespace_);
  if (at == shares_.end()) return kMostAtOnce;
  Share& share = at->second;
  share.left = std::min(kMostAtOnce, share.left + Earned(now - share.at));
  share.at = now;
  return share.left;
}

void MatchCaches::Spend(const std::string& namespace_, int64_t cost) {
  if (now_ == nullptr) return;
  const Time now = now_();
  const MutexLock lock(mutex_);
  const auto [at, is_new] = shares_.try_emplace(namespace_, Share{kMostAtOnce, now});
  at->second.left -= cost;
  std::erase_if(shares_, [now](const auto& entry) {
    return entry.second.left + Earned(now - entry.second.at) >= kMostAtOnce;
  });
}

absl::Status MatchCaches::FindOut(const std::string& namespace_, MatchCache& cache,
                                  const Unknown& unknown, const std::stop_token& stop) {
  int64_t left = LeftOf(namespace_);
  if (now_ != nullptr) left = std::min(left, kMostOfCall);
  Effort effort{.left = left, .stop = stop};
  absl::Status found =
      left > 0 ? cache.FindOut(unknown, &effort) : absl::ResourceExhaustedError("");
  Spend(namespace_, left - effort.left);
  if (!absl::IsResourceExhausted(found)) return found;
  return absl::UnavailableError(
      fmt::format("expressions in claims of namespace {} take more time than it may use at once; "
                  "evaluation continues at the next attempt. Use fewer or shorter expressions",
                  namespace_));
}

}  // namespace outrigger::devices
