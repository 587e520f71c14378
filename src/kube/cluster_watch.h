#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cluster/cluster.h"
#include "kube/api.h"
#include "kube/cluster_sinks.h"
#include "kube/reflector.h"
#include "outrigger/agent/needs.h"

namespace outrigger::kube {

/// What is followed, and how far it is trusted.
struct ClusterWatchOptions {
  /// Nodes are always followed; pods where somebody asks for them: they are many.
  bool pods = false;
  /// Above this age what is known is not decided by. Bookmarks come about once a minute, so less
  /// would fail on a quiet cluster.
  std::chrono::milliseconds max_staleness{90'000};
  ReflectorOptions reflector;
};

/// Ok if a kind in this state may be decided by at `now`; else Unavailable, which names the kind
/// and the cause in words that stay the same while that is so: they end in a pod's condition, and a
/// changed one wakes the pod. A kind that could be listed but never watched is not followed.
absl::Status UsableAt(const ReflectorState& state, std::chrono::milliseconds max_staleness,
                      ReflectorState::TimePoint now);

/// Keeps a Cluster equal to what the API server has. docs/kube-client.md states the promises.
/// Thread-safe.
class ClusterWatch {
 public:
  /// Both outlive this.
  ClusterWatch(Api* api, cluster::Cluster* cluster, ClusterWatchOptions options);
  /// Stops.
  ~ClusterWatch();
  ClusterWatch(const ClusterWatch&) = delete;
  ClusterWatch& operator=(const ClusterWatch&) = delete;

  /// Begins to follow: of nodes and pods what `needs` names is kept. To be called once.
  void Start(const Needs& needs);
  /// Returns when nothing is written any more; the cluster keeps what it has. Idempotent.
  void Stop();

  /// UsableAt() of all kinds, now.
  absl::Status Usable() const;

  /// One for each kind that is followed; none before Start().
  std::vector<ReflectorState> States() const;

 private:
  class Sink;

  Api* const api_;
  const ClusterWatchOptions options_;
  const std::unique_ptr<Sink> sink_;
  std::unique_ptr<ObjectSink> node_sink_;
  std::unique_ptr<ObjectSink> pod_sink_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;  // last: their threads use the sinks
};

}  // namespace outrigger::kube
