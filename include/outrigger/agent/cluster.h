#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/agent/subscription.h"
#include "outrigger/k8s/claims.h"
#include "outrigger/k8s/disruption_budget.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"
#include "outrigger/k8s/priority_class.h"
#include "outrigger/k8s/string_map.h"

// The cluster as an agent sees it and acts on it.

namespace outrigger {

/// What is known of the cluster beside nodes and pods. Immutable.
struct ClusterObjects {
  std::vector<PodGroup> pod_groups;  // in no particular order
  DialectSet served;                 // dialects with PodGroups that the API server serves
  /// Dialects that the API server serves only in a version unknown to us, with that version: "v1".
  std::map<Dialect, std::string> unknown_versions;
  /// The values of PriorityClasses. A deleted class keeps its value for one more second: to change
  /// a value, a class is deleted and created again, and the queue must not change order meanwhile.
  std::map<std::string, int32_t, std::less<>> priority_classes;
  /// PriorityClasses as the API server has them, by name, without manifests; only with
  /// Needs::ClusterPriorityClasses().
  std::vector<PriorityClass> classes;
  /// Extended resources that DeviceClasses serve: spec.extendedResourceName of each, and
  /// "deviceclass.resource.kubernetes.io/NAME".
  std::set<std::string, std::less<>> device_resources;
  std::vector<DisruptionBudget> budgets;                                      // as pod_groups
  std::shared_ptr<const ClaimTable> claims = std::make_shared<ClaimTable>();  // never null
  /// Counts all changes except those that `status_version` counts.
  uint64_t version = 0;
  /// Counts changes of phases and versions of PodGroups, and of `classes`. Two values with equal
  /// version and status_version are equal.
  uint64_t status_version = 0;
};

/// Which changes of the view are reported to a listener.
enum class ChangeScope : uint8_t {
  kAllButGroupStatus,  // nodes, pods, and what ClusterObjects::version counts
  kAll,                // and what ClusterObjects::status_version counts
  /// Also changes only of fields that the Needs NodeAddresses(), NodeReady(), PodTimes() and
  /// PodContainerStates() request: addresses and Ready of nodes; start_time, end_time,
  /// status_reason and container_states of pods. There are none if no agent requests these fields.
  kAllAndStates,
};

/// The cluster as it was at one moment. Neither pointer is null.
struct ClusterView {
  std::shared_ptr<const ClusterSnapshot> snapshot;
  std::shared_ptr<const ClusterObjects> objects;
};

/// Identifies a pod; its UID is a precondition of every write. Views live during the call.
struct PodId {
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
};

/// An Event about an object (events.k8s.io/v1).
struct ClusterEvent {
  std::string api_version = "v1";
  std::string kind = "Pod";
  std::string namespace_;
  std::string name;
  std::string uid;
  bool warning = false;
  std::string reason;  // "GangWaiting": stable, for machines
  std::string action;  // "Scheduling"
  std::string note;    // for people
};

/// The status of a PodGroup. Values for which a dialect has no field are not written.
struct PodGroupStatus {
  std::string phase;   // "Pending", "Scheduling", "Scheduled", ...
  std::string reason;  // why it waits; a word
  std::string message;
  int64_t scheduled = 0;  // bound members, running ones included
  int64_t running = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  /// The minimum was placed once. Upstream's condition never goes back to False after that.
  bool was_placed = false;
  friend bool operator==(const PodGroupStatus&, const PodGroupStatus&) = default;
};

/// A coordination.k8s.io Lease: the parts that identify the active replica.
struct LeaseRecord {
  std::string holder;   // empty: none
  std::string renewed;  // renewTime as the API server has it: it changes with each renewal
  std::chrono::seconds duration{};  // no other holder takes it for this time after a renewal
};

// An agent's access to the cluster: the watched state (Agent::Reads() selects it) and writes.
// Everything is thread-safe. Calls to the API server block, so make them without holding a lock;
// the agent's Access() must list their rights. Use the narrowest class: a class that holds a
// ClusterReader changes nothing in the cluster.
//
// Errors of these calls, in addition to the usual ones of a connection (Unavailable,
// DeadlineExceeded, Cancelled, PermissionDenied): NotFound, the object is gone; Aborted, another
// object has its name, or it is not in the state that was asked for.

/// Reads the cluster.
class ClusterReader {
 public:
  virtual ~ClusterReader() = default;

  /// Returns the cluster as it is known now; makes no call. Unavailable if it is too old for
  /// decisions; the message names the outdated kinds, and stays the same while they are outdated.
  virtual absl::StatusOr<ClusterView> Take() = 0;
  /// Calls `changed` after each change in that scope of what Take() returns, until the subscription
  /// ends. Any number of listeners may be registered; the threads that see the changes call them,
  /// so `changed` must be quick. Calls may overlap, and Take(), Assume() and Forget() may make one
  /// themselves. A view that merely becomes too old causes no call. `changed` must not end its own
  /// subscription.
  virtual Subscription OnChange(std::function<void()> changed,
                                ChangeScope scope = ChangeScope::kAllButGroupStatus) = 0;

  /// The pod as the API server has it now.
  virtual absl::StatusOr<Pod> Read(std::string_view namespace_, std::string_view name,
                                   const CallLimits& limits) = 0;
  /// All pods of a namespace as the API server has them now. Makes one call per 500 pods, each with
  /// the full timeout.
  virtual absl::StatusOr<std::vector<Pod>> ReadAll(std::string_view namespace_,
                                                   const CallLimits& limits) = 0;
  /// Returns the Lease as the API server has it now. NotFound: there is none of that name.
  virtual absl::StatusOr<LeaseRecord> ReadLease(std::string_view namespace_, std::string_view name,
                                                const CallLimits& limits) = 0;
};

/// Writes to the cluster.
class ClusterWriter {
 public:
  virtual ~ClusterWriter() = default;

  /// Counts the pod as running on `node` in views, until the API server reports it there, Forget(),
  /// or an expiry. NotFound: no such pod, or it has finished; FailedPrecondition: it is bound or
  /// assumed elsewhere.
  virtual absl::Status Assume(const PodId& pod, std::string_view node) = 0;
  virtual void Forget(const PodId& pod) = 0;

  /// Binds the pod and sets these annotations in the same call. Idempotent: returns success if the
  /// pod is already bound to that node. Aborted: it is bound to another node.
  virtual absl::Status Bind(const PodId& pod, std::string_view node, const StringMap& annotations,
                            const CallLimits& limits) = 0;
  /// Writes status.nominatedNodeName, which requeues a pending pod and steers it to the node; an
  /// empty `node` removes it. With a `resource_version`, only if the pod still has that version.
  virtual absl::Status Nominate(const PodId& pod, std::string_view node,
                                std::string_view resource_version, const CallLimits& limits) = 0;
  /// Writes the message of the condition PodScheduled of a pod without a node, if the pod still has
  /// that version. This requeues the pod.
  virtual absl::Status WriteUnscheduled(const Pod& pod, std::string_view message,
                                        const CallLimits& limits) = 0;
  /// Removes that scheduling gate from the pod and sets these annotations in the same write; other
  /// gates stay. Idempotent; not subject to the client's rate limit.
  virtual absl::Status RemoveGate(const PodId& pod, std::string_view gate,
                                  const StringMap& annotations, const CallLimits& limits) = 0;
  /// Evicts the pod through the eviction API. ResourceExhausted: a disruption budget forbids it
  /// now.
  virtual absl::Status Evict(const PodId& pod, const CallLimits& limits) = 0;
  /// Returns what Evict() would return now; changes nothing.
  virtual absl::Status MayEvict(const PodId& pod, const CallLimits& limits) = 0;
  virtual absl::Status WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                                   const CallLimits& limits) = 0;
  /// Sets that annotation of the PodGroup of that UID; an empty `value` removes it. Idempotent; not
  /// subject to the client's rate limit. InvalidArgument: the group has no UID or no object.
  virtual absl::Status AnnotateGroup(const PodGroup& group, std::string_view key,
                                     std::string_view value, const CallLimits& limits) = 0;
  /// Emits the Event in the background; Events about cluster-scoped objects go to the namespace
  /// "default". Excess Events are dropped.
  virtual void Record(ClusterEvent event) = 0;
};

/// Full access: AgentDeps::cluster points to it.
class ClusterAccess : public ClusterReader,
                      public ClusterWriter,
                      public PriorityClassAccess,
                      public ConfigMapAccess,
                      public CustomObjectAccess,
                      public Elections {};

}  // namespace outrigger
