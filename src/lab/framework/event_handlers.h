#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lab/framework/node_cache.h"
#include "lab/framework/pod_queue.h"
#include "lab/framework/waiting_pods.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// What the API server tells of nodes and pods, told on to those whom it concerns: the cache of
/// nodes, the queue (a pod that wants a node; an event that may wake others), and pods that wait at
/// Permit. Thread-safe: nodes and pods come on two threads.
class EventHandlers {
 public:
  /// All outlive this. `scheduler_name`: pods with another spec.schedulerName are none of our
  /// business. `wakes`: events are told to the queue.
  EventHandlers(std::string scheduler_name, bool wakes, NodeCache* nodes, PodQueue* queue,
                WaitingPods* waiting);

  void OnNode(Node node);
  void OnNodeGone(std::string_view name);
  void OnPod(const Pod& pod);
  void OnPodGone(std::string_view namespace_, std::string_view name);

 private:
  void Tell(const ClusterEvent& event);
  /// True if the pod wants a node from us.
  bool IsOurs(const Pod& pod) const;

  const std::string scheduler_name_;
  const bool wakes_;
  NodeCache* const nodes_;
  PodQueue* const queue_;
  WaitingPods* const waiting_;
  Mutex mutex_;
  /// By "namespace/name", as they were last told.
  std::map<std::string, std::shared_ptr<const Pod>, std::less<>> pods_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::lab
