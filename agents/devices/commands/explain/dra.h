#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/reading/cluster_objects.h"
#include "devices/commands/dra/dra_placement.h"
#include "devices/commands/explain/pod_claims.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::cli {

/// ResourceClaims of the pods that `explain pod` explains. Not thread-safe.
class PodDra {
 public:
  /// Reads what is needed, if one of `pods` has such claims: of `file`, and of `cluster`. What
  /// could not be read is a note: the agents are explained all the same.
  PodDra(const std::vector<Pod>& pods, const std::optional<PodClaims::File>& file,
         const std::string& name_space, ClusterObjects* cluster, std::vector<std::string>* notes);

  /// Nothing for a pod without claims. `shown` as of ExplainDra(), errors as of DraClaimsOf().
  absl::StatusOr<std::optional<DraExplained>> Explain(const Pod& pod,
                                                      const std::vector<std::string>& shown) const;

 private:
  std::optional<DraObjects> objects_;
};

/// `outrigger explain claim`. Errors as those of files and the API server, and of DraClaim().
Command ExplainClaimCommand();

}  // namespace outrigger::cli
