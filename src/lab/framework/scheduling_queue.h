#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lab/framework/cluster_event.h"
#include "lab/framework/in_flight_pods.h"
#include "lab/framework/ordered_pods.h"
#include "lab/framework/pod_queue.h"
#include "lab/framework/timers.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// kube-scheduler's defaults (podInitialBackoffSeconds, podMaxBackoffSeconds,
/// --pod-max-in-unschedulable-pods-duration).
struct QueueOptions {
  /// After the first failure; doubled with each further one.
  Clock::Duration initial_backoff = std::chrono::seconds(1);
  /// Zero: no backoff at all.
  Clock::Duration max_backoff = std::chrono::seconds(10);
  /// Pods that were longer in the unschedulable part are tried again, should an event have been
  /// missed; looked at every 30 s.
  Clock::Duration flush_after = std::chrono::minutes(5);
  /// By plugin: the events that may help a pod which it rejected.
  std::map<std::string, std::vector<ClusterEvent>, std::less<>> registered = {};
};

/// The queue of kube-scheduler (pkg/scheduler/backend/queue), with its three parts:
///
///     Add()  --->  active  --Pop()-->  in flight  --Done()-->
///                    ^  ^                  |
///       backoff over |  |                  | AddUnschedulable()
///                 backoff <-- something broke, or what a plugin waits for came meanwhile
///                    ^  |                  |
///           an event |  |                  v
///                    +--+----------- unschedulable
///
/// Left out: scheduling gates, nominations, groups of pods, and the gate SchedulerPopFromBackoffQ,
/// by which an idle scheduler does not wait for the end of a backoff. Backoffs end when they are
/// over; there they are looked at once a second.
class SchedulingQueue final : public PodQueue {
 public:
  enum class Part : uint8_t { kNone, kActive, kBackoff, kUnschedulable, kInFlight };

  /// `timers` outlives this.
  SchedulingQueue(Timers* timers, PodLess less, QueueOptions options);

  void Add(std::shared_ptr<const Pod> pod) override;
  void Update(const std::shared_ptr<const Pod>& before, std::shared_ptr<const Pod> after) override;
  void Delete(const Pod& pod) override;
  std::optional<QueuedPod> Pop(const std::stop_token& stop) override;
  bool HasReady() const override;
  void AddUnschedulable(QueuedPod queued) override;
  void Done(std::string_view uid) override;
  void OnEvent(const ClusterEvent& event) override;

  /// Where the pod is.
  Part PartOf(std::string_view uid) const;

 private:
  using Unschedulable = std::map<std::string, QueuedPod, std::less<>>;

  bool HelpsAny(const ClusterEvent& event) const;
  bool Helps(const InFlightPods::Happening& happening, const QueuedPod& queued) const;
  Clock::TimePoint BackoffEnd(const QueuedPod& queued) const;

  void AddNew(std::shared_ptr<const Pod> pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Stamp(QueuedPod* queued) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ToActive(QueuedPod queued) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ToActiveOrBackoff(QueuedPod queued) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeUnschedulable(Unschedulable::iterator* at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void FlushBackoff();
  void FlushLeftovers();

  const QueueOptions options_;
  mutable Mutex mutex_;
  std::condition_variable_any ready_;
  OrderedPods active_ ABSL_GUARDED_BY(mutex_);
  OrderedPods backoff_ ABSL_GUARDED_BY(mutex_);  // the first one is ready first
  Unschedulable unschedulable_ ABSL_GUARDED_BY(mutex_);
  InFlightPods in_flight_ ABSL_GUARDED_BY(mutex_);
  uint64_t arrivals_ ABSL_GUARDED_BY(mutex_) = 0;
  ScopedTimers timers_ ABSL_GUARDED_BY(mutex_);  // last
};

}  // namespace outrigger::lab
