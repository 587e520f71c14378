#pragma once

#include <chrono>
#include <stop_token>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "calls/barrier.h"
#include "common/desk_names.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/stages.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::gang {

/// Creates bindings. Thread-safe.
class Committer {
 public:
  /// `cluster` outlives this. A binding is tried for `patience`, also when its caller has gone:
  /// after the first one of a gang there is no way back.
  Committer(ClusterAccess* cluster, std::chrono::milliseconds patience)
      : cluster_(cluster), patience_(patience) {}

  /// Binds the pod, which counts as being on its node from now on.
  absl::Status Commit(const BindRequest& request);
  /// The same of a member of a gang that is being bound, and that starts with the minimum
  /// `started_with` (plan::kStartedWith): what may pass is tried again, `pause` after `pause`,
  /// until it is bound, or not to be bound, or patience or Stop() ends it.
  absl::Status CommitMember(const BindRequest& request, int64_t started_with,
                            std::chrono::milliseconds pause = kPause);
  /// Nothing is tried again from now on.
  void Stop() { stop_.request_stop(); }

  /// A pod that no plan has seen, from the API server, if it is in no group.
  absl::StatusOr<Pod> ReadSingle(const Board& board, const BindRequest& request);

 private:
  void GiveUp(const PodId& pod, const absl::Status& error);

  static constexpr std::chrono::milliseconds kPause{200};
  ClusterAccess* const cluster_;
  const std::chrono::milliseconds patience_;
  std::stop_source stop_;
};

/// Ok unless the pod, which is in no gang, would take a place of a gang that is being bound.
absl::Status CheckCommitting(const Board& board, const Barriers& barriers, const Pod& pod,
                             std::string_view node);

}  // namespace outrigger::gang
