#include "serve/engine/catch_up.h"

#include <algorithm>

namespace outrigger::engine {

bool CatchUp::IsWorthWaiting(const Pod& pod, uint64_t generation) {
  constexpr size_t kMost = 10'000;
  if (pod.uid.empty() || pod.resource_version.empty()) return false;  // nobody's pod
  const MutexLock lock(mutex_);
  if (rejected_.size() >= kMost && !rejected_.contains(pod.uid)) rejected_.clear();
  Rejected& before = rejected_[pod.uid];
  const bool same =
      before.resource_version == pod.resource_version && before.generation == generation;
  before = {pod.resource_version, generation};
  return same && now_() >= not_before_;
}

void CatchUp::Waited(bool changed) {
  const MutexLock lock(mutex_);
  pause_ =
      changed ? std::chrono::seconds(0) : std::clamp(2 * pause_, kShortestPause, kLongestPause);
  not_before_ = now_() + pause_;
}

}  // namespace outrigger::engine
