#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::engine {

/// Knows when a names-only filter call may have come before the news that caused it.
///
/// A change of a node goes to kube-scheduler and to us at the same time. It wakes pods there, which
/// on a quiet cluster are asked about within milliseconds: if our view is behind just then, we
/// reject the pod by what was, and nothing wakes it again for up to five minutes. So, where neither
/// the pod nor any node has changed since the same pod was rejected everywhere, the call may wait
/// for the news. Calls come for other reasons, too (a pod that went, the scheduler's own clock), so
/// the more often nothing came, the seldomer the next one waits. Thread-safe.
class CatchUp {
 public:
  /// For how long a call may wait: the scheduler asks about one pod at a time.
  static constexpr std::chrono::milliseconds kWait{50};
  static constexpr std::chrono::seconds kShortestPause{1};  // after a wait for nothing
  static constexpr std::chrono::seconds kLongestPause{60};

  explicit CatchUp(SteadyNow now = std::chrono::steady_clock::now) : now_(std::move(now)) {}

  /// Every node of the call was rejected; `generation` is another one when any of them has changed,
  /// whatever pods do. True if it is worth to wait.
  bool IsWorthWaiting(const Pod& pod, uint64_t generation);
  /// What came of the waiting: nodes have changed, or not.
  void Waited(bool changed);

 private:
  struct Rejected {
    std::string resource_version;
    uint64_t generation = 0;
  };
  const SteadyNow now_;
  Mutex mutex_;
  absl::flat_hash_map<std::string, Rejected> rejected_ ABSL_GUARDED_BY(mutex_);  // by UID
  std::chrono::seconds pause_ ABSL_GUARDED_BY(mutex_){0};
  std::chrono::steady_clock::time_point not_before_ ABSL_GUARDED_BY(mutex_);
};

inline bool CatchUp::IsWorthWaiting(const Pod& pod, uint64_t generation) {
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

inline void CatchUp::Waited(bool changed) {
  const MutexLock lock(mutex_);
  pause_ =
      changed ? std::chrono::seconds(0) : std::clamp(2 * pause_, kShortestPause, kLongestPause);
  not_before_ = now_() + pause_;
}

}  // namespace outrigger::engine
