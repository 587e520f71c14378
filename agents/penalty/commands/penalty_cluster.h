#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger::cli {

/// What the commands about penalties list and report, in addition to classes and journal. Calls
/// block; errors are those of kube::Api.
class PenaltyObjects {
 public:
  virtual ~PenaltyObjects() = default;

  /// All classes, in the order of their names.
  virtual absl::StatusOr<std::vector<PriorityClass>> ListClasses(const CallLimits& limits) = 0;
  /// All PodGroups that count; none where their kind is not installed.
  virtual absl::StatusOr<std::vector<PodGroup>> ListGroups(const CallLimits& limits) = 0;
  /// Visits all pods.
  virtual absl::Status ForEachPod(absl::FunctionRef<void(const Pod& pod)> visit) = 0;
  /// The time after which its holder says that a Lease may be taken; nothing: it is held by none.
  virtual absl::StatusOr<std::optional<std::chrono::seconds>> LeaseDuration(
      std::string_view namespace_, std::string_view name, const CallLimits& limits) = 0;
  /// Reports an Event about a class, in the background.
  virtual void Record(const PriorityClass& about, std::string_view reason,
                      const std::string& note) = 0;
};

/// A cluster as the commands about penalties see it. Everything outlives its users.
struct PenaltyCluster {
  PriorityClassAccess* classes = nullptr;
  ConfigMapAccess* maps = nullptr;
  Elections* elections = nullptr;
  PenaltyObjects* objects = nullptr;
};

}  // namespace outrigger::cli
