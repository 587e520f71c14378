#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gang/plan/scheduler_checks.h"
#include "outrigger/k8s/pod.h"

// The pods of a snapshot that planning is about.

namespace outrigger {
class ClusterSnapshot;
namespace cluster {
struct PodIndex;
}
}  // namespace outrigger

namespace outrigger::plan {

/// Files what PlannedPods gives. The maker of the Cluster puts it among the indexes, in any place:
/// PlannedPods finds it by its type.
cluster::PodIndex PlannedPodsIndex();

/// The pods that units are made of: those without a node that are not finished, and all that name a
/// group in any dialect, bound, finished and terminating ones too. Not thread-safe.
class PlannedPods {
 public:
  PlannedPods();
  ~PlannedPods();
  PlannedPods(const PlannedPods&) = delete;
  PlannedPods& operator=(const PlannedPods&) = delete;

  /// Those of `snapshot`, in no order that means anything; valid until the next call. A pod that
  /// has not changed since the call before is the same object: a call costs one pass over them and
  /// the unpacking of what has changed. A snapshot without the index has none.
  std::span<const std::shared_ptr<const Pod>> Of(const ClusterSnapshot& snapshot);
  /// From now on what kube-scheduler does not compare is left out of pods that want a place
  /// (SchedulerChecks::LeaveOutOf()): their requests have less, too. To be called before the
  /// first Of().
  void LeaveOut(const SchedulerChecks& checks) { checks_ = checks; }

 private:
  class Kept;
  SchedulerChecks checks_;
  const std::unique_ptr<Kept> kept_;
  std::vector<std::shared_ptr<const Pod>> pods_;
};

}  // namespace outrigger::plan
