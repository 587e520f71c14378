#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger {

/// Which parts of nodes and pods an agent reads, so that the decoder skips what no agent reads.
///
/// A field that is not named here may be empty in a Request. Build it by chaining:
///
///     return Needs().NodeAllocatable().NodeAnnotations({"mean-free-cpu"}).PodResources();
///
/// Names (node, pod, namespace, UID) are always there.
class Needs {
 public:
  enum Field : uint32_t {
    kNodeLabels = 1U << 0,
    kNodeTaints = 1U << 1,  // taints and unschedulable
    kNodeAllocatable = 1U << 2,
    kNodeCapacity = 1U << 3,
    kNodeAllAnnotations = 1U << 4,
    kPodMetadata = 1U << 5,   // labels, annotations
    kPodResources = 1U << 6,  // containers, init containers, overhead, pod-level resources
    // Selector, affinity, tolerations, spread, host ports, priority, preemption policy, scheduler
    // name, scheduling group, claims, phase.
    kPodScheduling = 1U << 7,
    // Resource version, creation, deletion, controller, gates, QoS class, conditions and resources
    // of the status: what a view of the cluster keeps.
    kPodStatus = 1U << 8,
    kNodeVersion = 1U << 9,  // resource version
    // What is followed in addition to nodes, for AgentDeps::cluster. Of pods what the fields above
    // say, and always their node, phase and priority.
    kClusterPods = 1U << 10,
    kClusterGroups = 1U << 11,           // PodGroups of every dialect, PriorityClasses
    kClusterBudgets = 1U << 12,          // PodDisruptionBudgets
    kClusterClaims = 1U << 13,           // volumes, claims of volumes and of devices
    kClusterPriorityClasses = 1U << 14,  // PriorityClasses with all their fields
    kClusterGroupStatus = 1U << 15,      // of PodGroups also phase and version
    // Of nodes and pods again. ChangeScope::kAllAndStates reports changes of these.
    kNodeAddresses = 1U << 16,       // status.addresses
    kNodeReady = 1U << 17,           // the condition Ready
    kPodTimes = 1U << 18,            // creation, binding, start and end
    kPodContainerStates = 1U << 19,  // states of containers, status.reason
    kClusterFreshClaims = 1U << 20,  // the view is of use only with kClusterClaims
    kPodImages = 1U << 21,           // of containers, those of init containers too
  };

  Needs& NodeLabels() { return Add(kNodeLabels); }
  Needs& NodeTaints() { return Add(kNodeTaints); }
  Needs& NodeAllocatable() { return Add(kNodeAllocatable); }
  Needs& NodeCapacity() { return Add(kNodeCapacity); }
  Needs& PodMetadata() { return Add(kPodMetadata); }
  Needs& PodResources() { return Add(kPodResources); }
  Needs& PodScheduling() { return Add(kPodScheduling); }
  Needs& PodStatus() { return Add(kPodStatus); }
  Needs& NodeVersion() { return Add(kNodeVersion); }
  Needs& NodeAddresses() { return Add(kNodeAddresses); }
  Needs& NodeReady() { return Add(kNodeReady); }
  /// Of pods creation_time, scheduled_time, start_time and end_time: some bytes a pod.
  Needs& PodTimes() { return Add(kPodTimes); }
  /// Of pods the images of all containers.
  Needs& PodImages() { return Add(kPodImages); }
  /// What PodTimes() gives, and of the pods of the cluster, which it asks for as well,
  /// container_states and status_reason.
  Needs& PodContainerStates() {
    Add(kClusterPods);
    Add(kPodTimes);
    return Add(kPodContainerStates);
  }
  Needs& ClusterPods() { return Add(kClusterPods); }
  Needs& ClusterGroups() { return Add(kClusterGroups); }
  Needs& ClusterBudgets() { return Add(kClusterBudgets); }
  /// Optional: if they cannot be read or are old, the view is used without them.
  Needs& ClusterClaims() { return Add(kClusterClaims); }
  /// As ClusterClaims(), but the view is used only if they are as complete and fresh as pods: for
  /// agents that treat a claim missing from the view as nonexistent.
  Needs& ClusterFreshClaims() {
    Add(kClusterClaims);
    return Add(kClusterFreshClaims);
  }
  /// PriorityClasses in ClusterObjects::classes, with all their fields.
  Needs& ClusterPriorityClasses() { return Add(kClusterPriorityClasses); }
  /// As ClusterGroups(), with phase and version of PodGroups: ChangeScope::kAll reports changes of
  /// these.
  Needs& ClusterGroupStatus() {
    Add(kClusterGroups);
    return Add(kClusterGroupStatus);
  }
  /// All annotations of nodes.
  Needs& NodeAnnotations() { return Add(kNodeAllAnnotations); }
  /// These annotations of nodes, and no others.
  Needs& NodeAnnotations(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) AddKey(key);
    return *this;
  }

  /// Everything that this or `other` needs.
  Needs& Merge(const Needs& other) {
    fields_ |= other.fields_;
    for (const std::string& key : other.annotation_keys_) AddKey(key);
    return *this;
  }

  bool Has(Field field) const { return (fields_ & field) != 0; }
  /// Node annotations asked for by key, sorted, without duplicates.
  const std::vector<std::string>& annotation_keys() const { return annotation_keys_; }
  /// True if anything of a node beyond its name is read.
  bool AnyOfNode() const {
    constexpr uint32_t kOfNode = (kPodMetadata - 1) | kNodeVersion | kNodeAddresses | kNodeReady;
    return !annotation_keys_.empty() || (fields_ & kOfNode) != 0;
  }

  /// True if the cluster is watched; its nodes then always are.
  bool AnyOfCluster() const {
    constexpr uint32_t kFollowed = kClusterPods | kClusterGroups | kClusterBudgets |
                                   kClusterClaims | kClusterPriorityClasses | kClusterGroupStatus;
    return AnyOfNode() || (fields_ & kFollowed) != 0;
  }

  /// Every field of nodes and pods: for tools that show objects, such as explain.
  static Needs All() {
    Needs needs;
    needs.fields_ = ((kNodeVersion << 1) - 1) | kNodeAddresses | kNodeReady | kPodTimes |
                    kPodContainerStates | kPodImages;
    return needs;
  }

 private:
  Needs& Add(Field field) {
    fields_ |= field;
    return *this;
  }
  void AddKey(std::string_view key) {
    const auto at = std::lower_bound(annotation_keys_.begin(), annotation_keys_.end(), key);
    if (at == annotation_keys_.end() || *at != key) annotation_keys_.emplace(at, key);
  }

  uint32_t fields_ = 0;
  std::vector<std::string> annotation_keys_;
};

}  // namespace outrigger
