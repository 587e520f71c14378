#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/live_client.h"
#include "cli/penalty/penalty_cluster.h"
#include "kube/write/event_recorder.h"

namespace outrigger::cli {

/// The API server, for commands about penalties. Thread-safe; destroying it waits a second at most
/// for Events that are not written yet.
class LivePenalty final : public PriorityClassAccess,
                          public ConfigMapAccess,
                          public Elections,
                          public PenaltyObjects {
 public:
  /// `warn` is called with a line about the election, or about Events that could not be written,
  /// from other threads.
  LivePenalty(LiveClient client, std::function<void(const std::string& line)> warn);

  PenaltyCluster Cluster() { return {this, this, this, this}; }

  absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                  const CallLimits& limits) override;
  absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const override;
  absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                    const CallLimits& limits) override;
  absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                      const CallLimits& limits) override;
  absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                   std::string_view resource_version,
                                   const CallLimits& limits) override;
  absl::StatusOr<bool> OwnerExists(const OwnerReference& owner, const CallLimits& limits) override;

  absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) override;
  absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map, const CallLimits& limits) override;
  absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) override;

  absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim claim,
                                                   ElectionCallbacks callbacks) override;

  absl::StatusOr<std::vector<PriorityClass>> ListClasses(const CallLimits& limits) override;
  absl::StatusOr<std::vector<PodGroup>> ListGroups(const CallLimits& limits) override;
  absl::StatusOr<std::optional<std::chrono::seconds>> LeaseDuration(
      std::string_view namespace_, std::string_view name, const CallLimits& limits) override;
  void Record(const PriorityClass& about, std::string_view reason,
              const std::string& note) override;

 private:
  /// The server's address before what a call says; what it refuses is no wrong setting of ours.
  absl::Status From(const absl::Status& status) const;

  const LiveClient client_;
  const std::function<void(const std::string& line)> warn_;
  std::unique_ptr<kube::EventRecorder> events_;  // last: its thread uses the above
};

}  // namespace outrigger::cli
