#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cluster/cluster.h"
#include "kube/api.h"
#include "kube/view/cluster_sinks.h"
#include "kube/view/object_store.h"
#include "kube/watch/reflector.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/needs.h"

namespace outrigger::kube {

/// What is followed, and how far it is trusted.
struct ClusterWatchOptions {
  /// Nodes are always followed; pods where somebody asks for them, by this or by
  /// Needs::kClusterPods: they are many.
  bool pods = false;
  /// Above this age what is known is not decided by. What is silent is listed anew kListTime
  /// before, so less than a minute would mean lists instead of watches on a quiet cluster.
  std::chrono::milliseconds max_staleness{90'000};
  static constexpr std::chrono::milliseconds kListTime{15'000};
  /// Its `silence` may be shortened by that.
  ReflectorOptions reflector;
  /// Called after each change of what ClusterObjects::version counts, and when Usable() may have
  /// changed, by any thread and without a lock; must be quick. May be empty. What changes in the
  /// Cluster, the Cluster tells.
  std::function<void()> changed = {};
  /// The same after each change of what only ClusterObjects::status_version counts.
  std::function<void()> status_changed = {};
};

/// Ok if a kind in this state may be decided by at `now`; else Unavailable, which names the kind
/// and the cause in words that stay the same while that is so: they end in a pod's condition, and a
/// changed one wakes the pod. A kind that could be listed but never watched is not followed.
absl::Status UsableAt(const ReflectorState& state, std::chrono::milliseconds max_staleness,
                      ReflectorState::TimePoint now);

/// The options with a `silence` that is short enough for what is silent to be listed again before
/// it is older than that.
ReflectorOptions ListedInTime(ReflectorOptions options, std::chrono::milliseconds max_staleness);

/// Keeps a Cluster, and what an agent needs to know beside nodes and pods, equal to what the API
/// server has. docs/kube-client.md states the promises.
/// Thread-safe.
class ClusterWatch {
 public:
  /// Both outlive this.
  ClusterWatch(Api* api, cluster::Cluster* cluster, ClusterWatchOptions options);
  /// Stops.
  ~ClusterWatch();
  ClusterWatch(const ClusterWatch&) = delete;
  ClusterWatch& operator=(const ClusterWatch&) = delete;

  /// Begins to follow: of nodes and pods what `needs` names is kept; with Needs::kClusterGroups
  /// also PodGroups, of which any dialect may be missing on the server, and PriorityClasses, which
  /// Needs::kClusterPriorityClasses asks for alone; with Needs::kClusterBudgets
  /// PodDisruptionBudgets; with Needs::kClusterClaims volumes, their claims, and claims of devices,
  /// which the server may not have. To be called once.
  void Start(const Needs& needs);
  /// Returns when nothing is written any more; the cluster keeps what it has. Idempotent.
  void Stop();

  /// UsableAt() of all kinds, now. PodGroups that the server does not have are no hindrance; those
  /// that cannot be listed are. Volumes and claims are only waited for until they are known, or
  /// cannot be had.
  absl::Status Usable() const;

  /// What is known now of all that is followed beside nodes and pods. Never null.
  std::shared_ptr<const ClusterObjects> Objects() const;

  /// The version in which PodGroups of the dialect are read; empty: they are not followed.
  std::string VersionOf(Dialect dialect) const;

  /// One for each kind that is followed; none before Start().
  std::vector<ReflectorState> States() const;

 private:
  class Sink;
  struct Followed;

  struct Kind {
    bool may_be_missing = false;                      // the server may not have it
    bool is_aid = false;                              // what is decided without it is not wrong
    Dialect dialect = Dialect::kNone;                 // of PodGroups
    std::span<const std::string_view> versions = {};  // as of ReflectorOptions
  };
  void Follow(const Resource& resource, std::unique_ptr<ObjectSink> sink, Kind kind);
  void FollowGroups(const Needs& needs);
  void FollowClasses(const Needs& needs);
  ResizeCounting Counting();
  void FollowClaims(const Needs& needs);

  Api* const api_;
  const ClusterWatchOptions options_;
  const std::unique_ptr<Sink> sink_;
  std::stop_source stop_;                             // for calls that no reflector makes
  ResizeCounting counting_ = ResizeCounting::kByPod;  // of the pods' thread
  const std::unique_ptr<ObjectStore> objects_;
  std::vector<std::unique_ptr<Followed>> followed_;  // last: its threads use what is above
  std::atomic<bool> started_ = false;                // followed_ changes no more
};

}  // namespace outrigger::kube
