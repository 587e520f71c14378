#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "gang/plan/scheduler_checks.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

namespace outrigger {
class ClusterSnapshot;
}

namespace outrigger::plan {

/// What a node has left. A plain value.
struct NodeRoom {
  /// Allocatable less what the pods there ask for, "pods" included; negative where it holds more
  /// than it may. Any amount of what devices serve there (SchedulerChecks::AddDevices()).
  ResourceList free;
  bool schedulable = true;  // not cordoned
  /// Another one whenever the node or the set of pods on it is; of this process only.
  uint64_t stamp = 0;
};

/// Nothing if the snapshot has no such node. Assumed pods count, finished ones do not. Thread-safe.
/// `checks` may be null.
std::optional<NodeRoom> RoomOn(const ClusterSnapshot& snapshot, std::string_view node,
                               const SchedulerChecks* checks = nullptr);

/// True if some node, were it empty, would take one of `some`, and likewise one of `others`: by
/// what they request, and by its cordon, taints and labels. Looks at the first 64 unlike pods of
/// each. `checks` may be null. Thread-safe.
bool ShareANode(const ClusterSnapshot& snapshot, std::span<const std::shared_ptr<const Pod>> some,
                std::span<const std::shared_ptr<const Pod>> others,
                const SchedulerChecks* checks = nullptr);

}  // namespace outrigger::plan
