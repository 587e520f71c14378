#include "calls/leaving_pods.h"

namespace outrigger::gang {

void LeavingPods::Add(std::string_view uid, Time now) {
  if (now - cleared_ > kLongest) {
    std::erase_if(since_, [&](const auto& entry) { return now - entry.second > kLongest; });
    cleared_ = now;
  }
  since_.insert_or_assign(std::string(uid), now);
}

void LeavingPods::Remove(std::string_view uid) {
  const auto found = since_.find(uid);
  if (found != since_.end()) since_.erase(found);
}

std::set<std::string, std::less<>> LeavingPods::At(Time now) const {
  std::set<std::string, std::less<>> uids;
  for (const auto& [uid, since] : since_) {
    if (now - since <= kLongest) uids.insert(uid);
  }
  return uids;
}

}  // namespace outrigger::gang
