#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "lab/framework/cluster_event.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// A pod in the queue, and what the queue remembers of it (framework.QueuedPodInfo).
struct QueuedPod {
  std::shared_ptr<const Pod> pod;  // never null
  /// When it came into the queue, or came back.
  Clock::TimePoint timestamp = {};
  /// Cycles that it has begun, the present one included.
  int attempts = 0;
  /// The plugins that rejected it in its last cycle. Empty: none did; something broke.
  std::set<std::string, std::less<>> unschedulable_plugins = {};
  /// Cycles in which plugins rejected it.
  int rejections = 0;
  /// Cycles without interruption in which something broke, up to its last one.
  int errors_in_a_row = 0;
  /// Set with the timestamp, and larger than that of every pod before it.
  uint64_t arrival = 0;
};

/// The order of the queue: true if `a` comes before `b`. The queue keeps the order of arrival among
/// equals.
using PodLess = std::function<bool(const QueuedPod& a, const QueuedPod& b)>;

/// Where pods wait for their turn. All functions are thread-safe; a pod is known by its UID.
///
/// From Pop() until Done() or AddUnschedulable() a pod is in flight: it is in no part of the queue,
/// and what happens meanwhile is remembered for it.
class PodQueue {
 public:
  virtual ~PodQueue() = default;

  /// A pod that wants a node has come. No effect for one that is known or in flight.
  virtual void Add(std::shared_ptr<const Pod> pod) = 0;
  /// The pod has changed. One that is not known is added.
  virtual void Update(const std::shared_ptr<const Pod>& before,
                      std::shared_ptr<const Pod> after) = 0;
  /// The pod is gone, or wants no node any more. In flight: AddUnschedulable() will not take it.
  virtual void Delete(const Pod& pod) = 0;
  /// Waits for the next pod and takes it out; nothing when `stop` is requested. Counts an attempt.
  virtual std::optional<QueuedPod> Pop(const std::stop_token& stop) = 0;
  /// True if Pop() would not wait.
  virtual bool HasReady() const = 0;
  /// The cycle of a pod in flight is over without a node.
  virtual void AddUnschedulable(QueuedPod pod) = 0;
  /// The cycle of a pod in flight is over: it has its node.
  virtual void Done(std::string_view uid) = 0;
  /// Something happened that may help pods which found no node.
  virtual void OnEvent(const ClusterEvent& event) = 0;
};

}  // namespace outrigger::lab
