#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/args/command.h"
#include "console/reading/cluster_objects.h"
#include "console/reading/live_client.h"
#include "kube/view/api_access.h"
#include "kube/write/event_recorder.h"
#include "penalty/commands/penalty_cluster.h"

namespace outrigger::cli {

/// Where the journal of penalties is.
struct JournalPlace {
  std::string name_space = "kube-system";
  std::string kubeconfig;
  std::string context;
};
/// The flags that say so.
std::vector<Flag> JournalFlags();
absl::Status ReadJournalPlace(const Given& given, JournalPlace* place);

/// The API server, for commands about penalties. Thread-safe; destroying it waits a second at most
/// for Events that are not written yet.
class LivePenalty final : public PenaltyObjects {
 public:
  /// `cluster`: that of `client`. `warn` is called with a line about the election, or about Events
  /// that could not be written, from other threads.
  LivePenalty(LiveClient client, std::unique_ptr<ClusterObjects> cluster,
              std::function<void(const std::string& line)> warn);

  PenaltyCluster Cluster() { return {&access_, &access_, &access_, this}; }

  absl::StatusOr<std::vector<PriorityClass>> ListClasses(const CallLimits& limits) override;
  absl::StatusOr<std::vector<PodGroup>> ListGroups(const CallLimits& limits) override;
  absl::Status ForEachPod(absl::FunctionRef<void(const Pod& pod)> visit) override;
  absl::StatusOr<std::optional<std::chrono::seconds>> LeaseDuration(
      std::string_view namespace_, std::string_view name, const CallLimits& limits) override;
  void Record(const PriorityClass& about, std::string_view reason,
              const std::string& note) override;

 private:
  /// The server's address before what a call says; what it refuses is no wrong setting of ours.
  absl::Status From(const absl::Status& status) const;

  const LiveClient client_;
  const std::unique_ptr<ClusterObjects> cluster_;
  kube::CommandAccess access_;
  std::unique_ptr<kube::EventRecorder> events_;  // last: its thread uses the above
};

}  // namespace outrigger::cli
