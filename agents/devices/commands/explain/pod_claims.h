#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/reading/cluster_objects.h"
#include "devices/commands/claims/device_objects.h"
#include "devices/commands/claims/explained.h"
#include "devices/commands/claims/pod_room.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::cli {

/// Device claims of the pods that `explain pod` explains. Not thread-safe.
class PodClaims {
 public:
  /// What file the pods are from; empty: from the cluster.
  struct File {
    std::string name;
    std::string text;
  };
  /// Reads claims, classes, drivers and pools, if one of `pods` has claims or `file` mentions any:
  /// of `file`, and of `cluster`, of which nodes and pods say where there is room. What could not
  /// be read is a note: the agents are explained all the same.
  PodClaims(const std::vector<Pod>& pods, const std::optional<File>& file, bool is_live,
            const std::string& name_space, ClusterObjects* cluster,
            std::vector<std::string>* notes);

  /// Nothing for a pod without claims. `shown` as of ExplainClaims(). Errors as of ClaimsOf().
  absl::StatusOr<std::optional<ExplainedClaims>> Explain(const Pod& pod,
                                                         const std::vector<std::string>& shown);

 private:
  absl::Status Read(const std::vector<Pod>& pods, const std::optional<File>& file, bool is_live,
                    const std::string& name_space, ClusterObjects* cluster,
                    std::vector<std::string>* notes);

  bool is_live_ = false;
  std::optional<DeviceObjects> objects_;
  std::shared_ptr<const cluster::Snapshot> snapshot_;  // null: pods may not be read
  // What was explained points into them.
  std::vector<std::unique_ptr<Placement>> placements_;
};

}  // namespace outrigger::cli
