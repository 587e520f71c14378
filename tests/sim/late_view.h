#pragma once

#include <functional>
#include <string_view>

#include "fake_cluster.h"
#include "scene.h"
#include "timeline.h"

namespace outrigger::sim {

/// The cluster as an agent sees it: what changes in the scene is shown after a delay, and what the
/// agent writes reaches the scene at once. Not thread-safe.
class LateView final : public testing::FakeCluster {
 public:
  /// `shown` changes each pod before it is shown; may be empty. Nodes are those that the scene has
  /// now, pods are followed from now on.
  LateView(Scene* scene, Timeline* timeline, milliseconds delay,
           std::function<void(Pod* pod)> shown = {});

  absl::Status Nominate(const PodId& pod, std::string_view node, std::string_view resource_version,
                        const CallLimits& limits) override;
  absl::Status WriteUnscheduled(const Pod& pod, std::string_view message,
                                const CallLimits& limits) override;
  absl::StatusOr<Pod> Read(std::string_view namespace_, std::string_view name,
                           const CallLimits& limits) override;
  // No agent does these here.
  absl::Status Bind(const PodId& /*pod*/, std::string_view /*node*/,
                    const StringMap& /*annotations*/, const CallLimits& /*limits*/) override {
    return absl::UnimplementedError("no agent binds here");
  }
  absl::Status RemoveGate(const PodId& /*pod*/, std::string_view /*gate*/,
                          const StringMap& /*annotations*/, const CallLimits& /*limits*/) override {
    return absl::UnimplementedError("no agent takes gates off here");
  }
  absl::Status Evict(const PodId& /*pod*/, const CallLimits& /*limits*/) override {
    return absl::UnimplementedError("no agent evicts here");
  }
  absl::Status MayEvict(const PodId& /*pod*/, const CallLimits& /*limits*/) override {
    return absl::UnimplementedError("no agent evicts here");
  }

 private:
  Scene* const scene_;
};

}  // namespace outrigger::sim
