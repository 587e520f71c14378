#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/change_listeners.h"
#include "cluster/cluster.h"
#include "kube/api.h"
#include "kube/transport/turnstile.h"
#include "kube/view/api_access.h"
#include "kube/view/cluster_watch.h"
#include "kube/view/custom_watch.h"
#include "kube/write/event_recorder.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::kube {

struct ClusterActorOptions {
  /// Of the events that agents record.
  EventOptions events = {.controller = "outrigger", .instance = "outrigger"};
  /// So many bindings are under way at once, the others wait in the order of their calls: each has
  /// a connection of its own, and a gang of a thousand must not cost a thousand TLS handshakes.
  size_t bindings_at_once = 64;
  Clock clock = {};
  /// What an operator should know of an election, in a line; may be empty.
  std::function<void(const std::string& line)> warn = {};
};

/// What agents get of the cluster: the view that is followed, and calls of the API server. Thread-
/// safe. docs/kube-client.md states the promises.
///
/// Bindings, nominations, gates, evictions, PriorityClasses, ConfigMaps, custom objects,
/// annotations of PodGroups, and what is read to decide about them do not wait for the client's own
/// rate limit; what is written for people does.
class ClusterActor final : public ApiAccess<ClusterAccess> {
 public:
  /// All outlive this. `changes` is to be told of what changes in `cluster` and of `watch`
  /// (ClusterOptions::changed, ClusterWatchOptions::changed).
  ClusterActor(Api* api, cluster::Cluster* cluster, ClusterWatch* watch, CustomWatch* custom,
               cluster::ChangeListeners* changes, ClusterActorOptions options = {});

  absl::StatusOr<ClusterView> Take() override;
  Subscription OnChange(std::function<void()> changed,
                        ChangeScope scope = ChangeScope::kAllButGroupStatus) override;
  absl::Status Assume(const PodId& pod, std::string_view node) override;
  void Forget(const PodId& pod) override;
  absl::Status Bind(const PodId& pod, std::string_view node, const StringMap& annotations,
                    const CallLimits& limits) override;
  absl::StatusOr<Pod> Read(std::string_view namespace_, std::string_view name,
                           const CallLimits& limits) override;
  absl::StatusOr<std::vector<Pod>> ReadAll(std::string_view namespace_,
                                           const CallLimits& limits) override;
  absl::Status WriteUnscheduled(const Pod& pod, std::string_view message,
                                const CallLimits& limits) override;
  absl::Status Nominate(const PodId& pod, std::string_view node, std::string_view resource_version,
                        const CallLimits& limits) override;
  absl::Status RemoveGate(const PodId& pod, std::string_view gate, const StringMap& annotations,
                          const CallLimits& limits) override;
  absl::Status Evict(const PodId& pod, const CallLimits& limits) override;
  absl::Status MayEvict(const PodId& pod, const CallLimits& limits) override;
  absl::StatusOr<LeaseRecord> ReadLease(std::string_view namespace_, std::string_view name,
                                        const CallLimits& limits) override;
  absl::Status WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                           const CallLimits& limits) override;
  absl::Status AnnotateGroup(const PodGroup& group, std::string_view key, std::string_view value,
                             const CallLimits& limits) override;
  void Record(ClusterEvent event) override;

  std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) override;

  /// Returns when every event that was recorded before has been written or dropped.
  void FlushEvents() { Events().Flush(); }
  EventStats event_stats() const;

 private:
  absl::Status AskForEviction(const PodId& pod, bool dry_run, const CallLimits& limits);

  EventRecorder& Events();

  cluster::Cluster& cluster_;
  ClusterWatch& watch_;
  CustomWatch& custom_;
  cluster::ChangeListeners& changes_;
  const ClusterActorOptions options_;
  Turnstile bindings_;
  mutable Mutex events_mutex_;
  std::unique_ptr<EventRecorder> events_
      ABSL_GUARDED_BY(events_mutex_);  // has a thread: made when it is needed
};

}  // namespace outrigger::kube
