#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "lab/framework/in_flight_pods.h"
#include "lab/framework/ordered_pods.h"
#include "lab/framework/pod_queue.h"
#include "lab/framework/timers.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// One line of pods. A pod that found no node is forgotten: it is not tried again unless it changes
/// itself. What happens in the cluster wakes none.
class FifoQueue final : public PodQueue {
 public:
  /// `timers` outlives this.
  FifoQueue(Timers* timers, PodLess less);

  void Add(std::shared_ptr<const Pod> pod) override;
  void Update(const std::shared_ptr<const Pod>& before, std::shared_ptr<const Pod> after) override;
  void Delete(const Pod& pod) override;
  std::optional<QueuedPod> Pop(const std::stop_token& stop) override;
  bool HasReady() const override;
  void AddUnschedulable(QueuedPod queued) override;
  void Done(std::string_view uid) override;
  void OnEvent(const ClusterEvent& event) override;

 private:
  void Append(std::shared_ptr<const Pod> pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Timers* const timers_;
  mutable Mutex mutex_;
  std::condition_variable_any ready_;
  OrderedPods active_ ABSL_GUARDED_BY(mutex_);
  InFlightPods in_flight_ ABSL_GUARDED_BY(mutex_);
  uint64_t arrivals_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace outrigger::lab
