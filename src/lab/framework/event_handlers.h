#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lab/framework/cluster_event.h"
#include "lab/framework/node_cache.h"
#include "lab/framework/pod_queue.h"
#include "lab/framework/waiting_pods.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// Hands on what the API server says of nodes and pods: to the cache of nodes, to the queue (a pod
/// that wants a node; an event that may wake others), and to pods that wait at Permit.
///
/// Thread-safe, but news of one node or pod must come in their order: one thread for nodes and one
/// for pods.
class EventHandlers {
 public:
  /// All outlive this. `scheduler_name`: pods with another spec.schedulerName are none of our
  /// business. `wakes`: the queue hears of events, too.
  EventHandlers(std::string scheduler_name, bool wakes, NodeCache* nodes, PodQueue* queue,
                WaitingPods* waiting);

  /// The node is new or has changed.
  void OnNode(Node node);
  void OnNodeGone(std::string_view name);
  /// The pod is new or has changed; one that is as it was is passed over.
  void OnPod(const Pod& pod);
  void OnPodGone(std::string_view namespace_, std::string_view name);

 private:
  using PodPtr = std::shared_ptr<const Pod>;

  /// Takes note of the pod as it is now (null: gone), and returns it as it was (null: new).
  PodPtr Exchange(const std::string& key, PodPtr now);
  /// The pod before and after, one of them possibly null.
  void OnChange(const PodPtr& before, const PodPtr& after);
  void UpdateQueue(const PodPtr& before, const PodPtr& after);
  void ReportAssigned(const PodPtr& before, const PodPtr& after);
  void Report(const ClusterEvent& event);
  /// True if the pod wants a node from us.
  bool IsOurs(const Pod& pod) const;

  const std::string scheduler_name_;
  const bool wakes_;
  NodeCache* const nodes_;
  PodQueue* const queue_;
  WaitingPods* const waiting_;
  Mutex mutex_;
  /// By "namespace/name", as they were last seen; without those that have finished.
  std::map<std::string, PodPtr, std::less<>> pods_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::lab
