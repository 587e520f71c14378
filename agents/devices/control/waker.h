#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "calls/judge.h"
#include "control/failure_log.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Wakes pods that were rejected on all nodes once the devices of a node would serve them: to
/// kube-scheduler a change of a custom object is no news. A nomination wakes and steers.
class Waker {
 public:
  struct Terms {
    ClusterAccess* cluster = nullptr;
    AgentMetrics* metrics = nullptr;
    Clock clock = {};
    std::function<void(std::string_view line)> warn = nullptr;  // empty: nothing is said
  };
  /// All outlive this.
  Waker(const Terms& terms, DeviceStore* store, const Judge& judge, const Allocator& allocator)
      : terms_(terms),
        store_(*store),
        judge_(judge),
        allocator_(allocator),
        failures_(terms.warn) {}

  /// No node was left for the pod; `unresolved`: none could be asked, since a claim is missing or
  /// invalid. Thread-safe.
  void OnRejected(const Pod& pod, bool unresolved) ABSL_LOCKS_EXCLUDED(mutex_);
  /// Wakes those whom the changes since the last call serve. Blocks; one call at a time.
  void Round(const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);
  size_t waiting() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Waiting {
    Wanted pod;
    bool look_everywhere = false;  // not only where something has changed
    int32_t priority = 0;
    int64_t created = 0;
    Clock::TimePoint not_before;
    bool seen = false;  // in the view, which may hear of a pod later than the scheduler
    Clock::TimePoint unseen_until;
  };
  using Pods = std::map<std::string, Waiting, std::less<>>;  // by UID

  /// Whether all nodes are to be looked at for it.
  bool IsForAllNodes(const Waiting& waiting) const;
  /// Where `pod` would fit; empty: nowhere. `was_asked`: its claims could be resolved.
  std::string NodeFor(const Wanted& pod, bool everywhere, const ClusterSnapshot& nodes,
                      const std::stop_token& stop, bool* was_asked) const;
  bool Wake(const Wanted& pod, const std::string& node, const std::stop_token& stop);
  void Forget(const ClusterSnapshot& pods) ABSL_LOCKS_EXCLUDED(mutex_);
  void LookEverywhere(const std::string& uid, bool everywhere) ABSL_LOCKS_EXCLUDED(mutex_);
  void Rest(const std::string& uid, Clock::TimePoint until) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<std::pair<std::string, Waiting>> InOrder() const ABSL_LOCKS_EXCLUDED(mutex_);

  const Terms terms_;
  DeviceStore& store_;
  const Judge& judge_;
  const Allocator& allocator_;
  mutable std::atomic<size_t> first_ = 0;  // as of Nodes
  Touched touched_;                        // not looked at yet; of the thread of Round()
  FailureLog failures_;                    // of the same thread
  mutable Mutex mutex_;
  Pods waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::devices::agent
