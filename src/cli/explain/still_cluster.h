#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::cli {

/// A cluster as it was when it was read, for agents that explain themselves: it does not change,
/// and what an agent would do or read in it, but for the view, is Unimplemented. Thread-safe.
class StillCluster final : public ClusterAccess {
 public:
  explicit StillCluster(std::shared_ptr<const cluster::Snapshot> snapshot)
      : view_{std::move(snapshot), std::make_shared<outrigger::ClusterObjects>()} {}

  absl::StatusOr<ClusterView> Take() override { return view_; }
  Subscription OnChange(std::function<void()> /*changed*/, ChangeScope /*scope*/) override {
    return {};
  }

  absl::StatusOr<Pod> Read(std::string_view, std::string_view, const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<std::vector<Pod>> ReadAll(std::string_view, const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<LeaseRecord> ReadLease(std::string_view, std::string_view,
                                        const CallLimits&) override {
    return Refused();
  }
  absl::Status Assume(const PodId&, std::string_view) override { return Refused(); }
  void Forget(const PodId&) override {}
  absl::Status Bind(const PodId&, std::string_view, const StringMap&, const CallLimits&) override {
    return Refused();
  }
  absl::Status Nominate(const PodId&, std::string_view, std::string_view,
                        const CallLimits&) override {
    return Refused();
  }
  absl::Status WriteUnscheduled(const Pod&, std::string_view, const CallLimits&) override {
    return Refused();
  }
  absl::Status RemoveGate(const PodId&, std::string_view, const StringMap&,
                          const CallLimits&) override {
    return Refused();
  }
  absl::Status Evict(const PodId&, const CallLimits&) override { return Refused(); }
  absl::Status MayEvict(const PodId&, const CallLimits&) override { return Refused(); }
  absl::Status WriteStatus(const PodGroup&, const PodGroupStatus&, const CallLimits&) override {
    return Refused();
  }
  absl::Status AnnotateGroup(const PodGroup&, std::string_view, std::string_view,
                             const CallLimits&) override {
    return Refused();
  }
  void Record(ClusterEvent) override {}

  absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view, const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view) const override {
    return Refused();
  }
  absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass&,
                                                    const CallLimits&) override {
    return Refused();
  }
  absl::Status TryCreatePriorityClass(const NewPriorityClass&, const CallLimits&) override {
    return Refused();
  }
  absl::Status DeletePriorityClass(std::string_view, std::string_view, std::string_view,
                                   const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<AdmittedPod> TryPod(std::string_view, std::string_view,
                                     const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<bool> OwnerExists(const OwnerReference&, const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view, std::string_view,
                                          const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap&, const CallLimits&) override {
    return Refused();
  }
  absl::Status DeleteConfigMap(const ConfigMap&, const CallLimits&) override { return Refused(); }
  /// Nothing is known of custom objects.
  std::unique_ptr<FollowedKind> Follow(const CustomKind&, CustomObjectSink*) override {
    return std::make_unique<NotFollowed>();
  }
  absl::StatusOr<std::string> ReadCustomObject(const CustomKind&, const CustomObjectName&,
                                               const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<std::string> CreateCustomObject(const CustomKind&, std::string_view,
                                                 std::string_view, const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<std::string> PatchCustomStatus(const CustomKind&, const CustomObjectName&,
                                                std::string_view, const CallLimits&) override {
    return Refused();
  }
  absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim, ElectionCallbacks) override {
    return Refused();
  }

 private:
  class NotFollowed final : public FollowedKind {
   public:
    absl::Status Usable() const override { return Refused(); }
  };
  static absl::Status Refused() {
    return absl::UnimplementedError("explain asks agents about a cluster that stands still");
  }

  const ClusterView view_;
};

}  // namespace outrigger::cli
