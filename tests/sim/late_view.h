#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "fake_cluster.h"
#include "outrigger/agent/cluster.h"
#include "scene.h"
#include "timeline.h"

namespace outrigger::sim {

/// The cluster as an agent sees it: what changes in the scene is shown after a delay, and what the
/// agent writes reaches the scene at once. Not thread-safe.
class LateView final : public ClusterAccess {
 public:
  /// `shown` changes each pod before it is shown; may be empty. Nodes are those that the scene has
  /// now, pods are followed from now on.
  LateView(Scene* scene, Timeline* timeline, milliseconds delay,
           std::function<void(Pod* pod)> shown = {});

  absl::StatusOr<ClusterView> Take() override { return view_.Take(); }
  Subscription OnChange(std::function<void()> changed) override {
    return view_.OnChange(std::move(changed));
  }
  absl::Status Nominate(const PodId& pod, std::string_view node, std::string_view resource_version,
                        const CallLimits& limits) override;

  absl::Status Assume(const PodId& pod, std::string_view node) override {
    return view_.Assume(pod, node);
  }
  void Forget(const PodId& pod) override { view_.Forget(pod); }
  absl::Status Bind(const PodId& /*pod*/, std::string_view /*node*/,
                    const StringMap& /*annotations*/, const CallLimits& /*limits*/) override {
    return absl::UnimplementedError("no agent binds here");
  }
  absl::StatusOr<Pod> Read(std::string_view namespace_, std::string_view name,
                           const CallLimits& limits) override;
  absl::Status Evict(const PodId& /*pod*/, const CallLimits& /*limits*/) override {
    return absl::UnimplementedError("no agent evicts here");
  }
  absl::Status MayEvict(const PodId& /*pod*/, const CallLimits& /*limits*/) override {
    return absl::UnimplementedError("no agent evicts here");
  }
  absl::StatusOr<std::string> LeaseHolder(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) override {
    return view_.LeaseHolder(namespace_, name, limits);
  }
  absl::Status WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                           const CallLimits& limits) override {
    return view_.WriteStatus(group, status, limits);
  }
  void Record(ClusterEvent event) override { view_.Record(std::move(event)); }

 private:
  Scene* const scene_;
  testing::FakeCluster view_;
};

}  // namespace outrigger::sim
