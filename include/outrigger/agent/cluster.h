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
  std::vector<PodGroup> pod_groups;  // in no order that means anything
  DialectSet served;                 // whose PodGroups the API server serves
  /// Dialects whose PodGroups the API server serves in versions that are not known: which, "v1".
  std::map<Dialect, std::string> unknown_versions;
  /// The values of PriorityClasses. A class that is deleted keeps its value for a second more:
  /// those whose value is changed are deleted and created again, and what waits is not to change
  /// places meanwhile.
  std::map<std::string, int32_t, std::less<>> priority_classes;
  /// PriorityClasses as the API server has them, by name, without manifests; only with
  /// Needs::ClusterPriorityClasses().
  std::vector<PriorityClass> classes;
  /// Extended resources that DeviceClasses serve: spec.extendedResourceName of each, and
  /// "deviceclass.resource.kubernetes.io/NAME".
  std::set<std::string, std::less<>> device_resources;
  std::vector<DisruptionBudget> budgets;                                      // as pod_groups
  std::shared_ptr<const ClaimTable> claims = std::make_shared<ClaimTable>();  // never null
  /// Counts changes of all but what `status_version` counts.
  uint64_t version = 0;
  /// Counts changes of phases and versions of PodGroups, and of `classes`: of two with the same
  /// version and status_version everything is equal.
  uint64_t status_version = 0;
};

/// Which changes of the view a listener hears of.
enum class ChangeScope : uint8_t {
  kAllButGroupStatus,  // nodes, pods, and what ClusterObjects::version counts
  kAll,                // and what ClusterObjects::status_version counts
  /// And changes of nothing but what the Needs NodeAddresses(), NodeReady(), PodTimes() and
  /// PodContainerStates() ask for: addresses and Ready of nodes, start_time, end_time,
  /// status_reason and container_states of pods. Where no agent asks for these there are none.
  kAllAndStates,
};

/// The cluster as it was at one moment. Neither pointer is null.
struct ClusterView {
  std::shared_ptr<const ClusterSnapshot> snapshot;
  std::shared_ptr<const ClusterObjects> objects;
};

/// Which pod: the UID is a precondition of all that is done to it. Views live during the call.
struct PodId {
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
};

/// An event about an object, in the words of events.k8s.io/v1.
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

/// What the status of a PodGroup says. What a dialect has no field for is left out.
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

/// A coordination.k8s.io Lease, as far as it says which replica acts.
struct LeaseRecord {
  std::string holder;   // empty: none
  std::string renewed;  // renewTime as the API server has it: another text with each renewal
  std::chrono::seconds duration{};  // for so long after a renewal no other takes it
};

// The way of an agent to the cluster: what is followed of it (Agent::Reads() names it), and what
// may be done. All of it is thread-safe. Calls that go to the API server block, and are to be made
// without a lock; their rights are those that the agent's Access() lists. Take the narrowest of the
// classes: a class that holds a ClusterReader changes nothing in the cluster.
//
// Errors of these calls, in addition to the usual ones of a connection (Unavailable,
// DeadlineExceeded, Cancelled, PermissionDenied): NotFound, the object is gone; Aborted, another
// object has its name, or it is not in the state that was asked for.

/// What an agent sees of the cluster.
class ClusterReader {
 public:
  virtual ~ClusterReader() = default;

  /// Returns the cluster as it is known now; makes no call. Unavailable if that is too old to
  /// decide by; the text names the kinds that are too old, and stays the same while they are.
  virtual absl::StatusOr<ClusterView> Take() = 0;
  /// Calls `changed` after each change in that scope of what Take() returns, until the subscription
  /// ends. Any number of listeners may be registered; the threads that see the changes call them,
  /// so `changed` must be quick. Calls may overlap, and Take(), Assume() and Forget() may make one
  /// themselves. No call is made when time alone makes a view too old. `changed` must not end its
  /// own subscription.
  virtual Subscription OnChange(std::function<void()> changed,
                                ChangeScope scope = ChangeScope::kAllButGroupStatus) = 0;

  /// The pod as the API server has it now.
  virtual absl::StatusOr<Pod> Read(std::string_view namespace_, std::string_view name,
                                   const CallLimits& limits) = 0;
  /// All pods of a namespace as the API server has them now. For each 500 of them a call, each with
  /// the whole timeout.
  virtual absl::StatusOr<std::vector<Pod>> ReadAll(std::string_view namespace_,
                                                   const CallLimits& limits) = 0;
  /// Returns the Lease as the API server has it now. NotFound: there is none of that name.
  virtual absl::StatusOr<LeaseRecord> ReadLease(std::string_view namespace_, std::string_view name,
                                                const CallLimits& limits) = 0;
};

/// What an agent does in the cluster.
class ClusterWriter {
 public:
  virtual ~ClusterWriter() = default;

  /// Counts the pod as being on `node` in views from now on, until the API server shows it there,
  /// Forget(), or some time without word of it. NotFound: no such pod, or it has finished;
  /// FailedPrecondition: it is bound, or assumed, elsewhere.
  virtual absl::Status Assume(const PodId& pod, std::string_view node) = 0;
  virtual void Forget(const PodId& pod) = 0;

  /// Binds the pod, and sets these annotations of it in the same step. Idempotent: a pod that is
  /// bound there already is a success. Aborted: it is bound to another node.
  virtual absl::Status Bind(const PodId& pod, std::string_view node, const StringMap& annotations,
                            const CallLimits& limits) = 0;
  /// Writes status.nominatedNodeName, which wakes a pod that waits and steers it; an empty `node`
  /// withdraws it. With a `resource_version`, only of that version of the pod.
  virtual absl::Status Nominate(const PodId& pod, std::string_view node,
                                std::string_view resource_version, const CallLimits& limits) = 0;
  /// Writes what the condition PodScheduled of a pod that found no node says, to that version of
  /// the pod. It wakes the pod.
  virtual absl::Status WriteUnscheduled(const Pod& pod, std::string_view message,
                                        const CallLimits& limits) = 0;
  /// Takes that scheduling gate off the pod, and sets these annotations of it in the same step; its
  /// other gates stay. Idempotent, and goes past the client's rate limit.
  virtual absl::Status RemoveGate(const PodId& pod, std::string_view gate,
                                  const StringMap& annotations, const CallLimits& limits) = 0;
  /// Asks for the pod to be evicted. ResourceExhausted: a disruption budget forbids it now.
  virtual absl::Status Evict(const PodId& pod, const CallLimits& limits) = 0;
  /// Returns what Evict() would answer now; nothing is changed.
  virtual absl::Status MayEvict(const PodId& pod, const CallLimits& limits) = 0;
  virtual absl::Status WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                                   const CallLimits& limits) = 0;
  /// Sets that annotation of the PodGroup of that UID; an empty `value` removes it. Idempotent, and
  /// goes past the client's rate limit. InvalidArgument: the group has no UID or no object.
  virtual absl::Status AnnotateGroup(const PodGroup& group, std::string_view key,
                                     std::string_view value, const CallLimits& limits) = 0;
  /// Writes the event in the background; one about an object without a namespace is kept in
  /// "default". Events are dropped where there are too many.
  virtual void Record(ClusterEvent event) = 0;
};

/// All of it: what AgentDeps::cluster points to.
class ClusterAccess : public ClusterReader,
                      public ClusterWriter,
                      public PriorityClassAccess,
                      public ConfigMapAccess,
                      public CustomObjectAccess,
                      public Elections {};

}  // namespace outrigger
