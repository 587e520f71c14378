#pragma once

#include <functional>
#include <memory>
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
  Subscription OnChange(std::function<void()> changed, ChangeScope scope) override {
    return view_.OnChange(std::move(changed), scope);
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
  absl::StatusOr<LeaseRecord> ReadLease(std::string_view namespace_, std::string_view name,
                                        const CallLimits& limits) override {
    return view_.ReadLease(namespace_, name, limits);
  }
  absl::Status WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                           const CallLimits& limits) override {
    return view_.WriteStatus(group, status, limits);
  }
  absl::Status AnnotateGroup(const PodGroup& group, std::string_view key, std::string_view value,
                             const CallLimits& limits) override {
    return view_.AnnotateGroup(group, key, value, limits);
  }
  void Record(ClusterEvent event) override { view_.Record(std::move(event)); }

  absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                  const CallLimits& limits) override {
    return view_.ReadPriorityClass(name, limits);
  }
  absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const override {
    return view_.ParsePriorityClass(manifest);
  }
  absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                    const CallLimits& limits) override {
    return view_.CreatePriorityClass(made, limits);
  }
  absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                      const CallLimits& limits) override {
    return view_.TryCreatePriorityClass(made, limits);
  }
  absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                   std::string_view resource_version,
                                   const CallLimits& limits) override {
    return view_.DeletePriorityClass(name, uid, resource_version, limits);
  }
  absl::StatusOr<bool> OwnerExists(const OwnerReference& owner, const CallLimits& limits) override {
    return view_.OwnerExists(owner, limits);
  }
  absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) override {
    return view_.ReadConfigMap(namespace_, name, limits);
  }
  absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map,
                                           const CallLimits& limits) override {
    return view_.WriteConfigMap(map, limits);
  }
  absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) override {
    return view_.DeleteConfigMap(map, limits);
  }
  std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) override {
    return view_.Follow(kind, sink);
  }
  absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                               const CustomObjectName& object,
                                               const CallLimits& limits) override {
    return view_.ReadCustomObject(kind, object, limits);
  }
  absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                 std::string_view namespace_, std::string_view json,
                                                 const CallLimits& limits) override {
    return view_.CreateCustomObject(kind, namespace_, json, limits);
  }
  absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                const CustomObjectName& object,
                                                std::string_view status_patch,
                                                const CallLimits& limits) override {
    return view_.PatchCustomStatus(kind, object, status_patch, limits);
  }
  absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim claim,
                                                   ElectionCallbacks callbacks) override {
    return view_.Stand(std::move(claim), std::move(callbacks));
  }

 private:
  Scene* const scene_;
  testing::FakeCluster view_;
};

}  // namespace outrigger::sim
