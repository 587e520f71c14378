#pragma once

#include <memory>
#include <string>

#include "lab/framework/cluster_event.h"
#include "lab/framework/pod_queue.h"
#include "outrigger/k8s/pod.h"

// What tests of queues share.

namespace outrigger::lab {

using PodPtr = std::shared_ptr<const Pod>;

inline constexpr ClusterEvent kNodeAdd{ClusterEvent::Resource::kNode, ClusterEvent::kAdd};
inline constexpr ClusterEvent kNodeDelete{ClusterEvent::Resource::kNode, ClusterEvent::kDelete};
inline constexpr ClusterEvent kNodeLabel{ClusterEvent::Resource::kNode,
                                         ClusterEvent::kUpdateNodeLabel};
inline constexpr ClusterEvent kPodLabel{ClusterEvent::Resource::kUnscheduledPod,
                                        ClusterEvent::kUpdatePodLabel};

inline PodPtr QueuePod(const std::string& uid, int priority = 0) {
  auto pod = std::make_shared<Pod>();
  pod->uid = uid;
  pod->priority = priority;
  return pod;
}

/// A pod that is another one as far as scheduling goes.
inline PodPtr LabelledPod(const std::string& uid, const std::string& label) {
  auto pod = std::make_shared<Pod>();
  pod->uid = uid;
  pod->labels.Set("l", label);
  return pod;
}

inline bool HigherPriority(const QueuedPod& a, const QueuedPod& b) {
  return a.pod->priority > b.pod->priority;
}

}  // namespace outrigger::lab
