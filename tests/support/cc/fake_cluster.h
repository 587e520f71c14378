#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/change_listeners.h"
#include "cluster/claim_store.h"
#include "cluster/cluster.h"
#include "fake_custom_objects.h"
#include "fake_elections.h"
#include "fake_objects.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/k8s/node.h"

namespace outrigger::testing {

/// A cluster in memory for tests of agents that act. It does at once what it is asked, and shows it
/// at once. What it does not imitate: delays between an act and its being seen, the scheduler,
/// graceful deletion, versions of objects other than pods, PodGroups and custom ones, and that the
/// value of a class that is deleted is seen for a second more. Thread-safe.
class FakeCluster : public ClusterAccess {
 public:
  FakeCluster();
  ~FakeCluster() override;

  // What a test does to the cluster. Upserts replace.
  void Put(const Node& node);
  void RemoveNode(std::string_view name);
  /// A pod without a UID gets "uid-<namespace>-<name>".
  void Put(Pod pod);
  /// The same with the UID and the version that the pod has.
  void Show(const Pod& pod);
  void RemovePod(std::string_view name, std::string_view namespace_ = "default");
  /// Changes a pod that is there.
  void Change(std::string_view name, const std::function<void(Pod*)>& change);
  /// Adds or replaces a PodGroup, whose version is new then, and serves its dialect.
  void Put(PodGroup group);
  void RemoveGroup(Dialect dialect, std::string_view name, std::string_view namespace_ = "default");
  /// The dialect is served in a version that is not known, and in no other.
  void ServeUnknown(Dialect dialect, const std::string& version);
  void Put(DisruptionBudget budget);
  void Put(Volume volume);
  void Put(VolumeClaim claim);
  void Put(DeviceClaim claim);
  /// An error: the Lease cannot be read. Its holder has it for a day.
  void SetLeaseHolder(absl::StatusOr<std::string> holder);
  void SetLease(absl::StatusOr<LeaseRecord> lease);
  int lease_reads() const;
  /// What happens, without a lock, while an answer of ReadLease() is under way.
  void OnReadLease(std::function<void()> on_read);
  /// What Take() says instead of a view; Ok ends that.
  void SetUsable(absl::Status usable);
  /// What Evict() and MayEvict() do first, without a lock; its error is theirs.
  void OnEvict(std::function<absl::Status(const std::string& pod, bool dry_run)> on_evict);
  /// What Bind() does first, without a lock; its error is Bind()'s.
  void OnBind(std::function<absl::Status(const std::string& pod)> on_bind);
  /// What Nominate() does first, without a lock; its error is Nominate()'s.
  void OnNominate(
      std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_nominate);

  /// What RemoveGate() does first, without a lock; its error is RemoveGate()'s.
  void OnRemoveGate(
      std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_remove_gate);
  /// What RemoveGate() says, after that, if it is to annotate the pod, too; Ok ends that.
  void RefuseAnnotations(absl::Status refusal);

  /// What AnnotateGroup() does first, without a lock; its error is AnnotateGroup()'s.
  void OnAnnotate(
      std::function<absl::Status(const PodGroup& group, const CallLimits& limits)> on_annotate);
  /// The PriorityClasses and ConfigMaps; the view has the classes.
  FakeObjects& keep() { return keep_; }
  /// What is of CustomResourceDefinitions.
  FakeCustomObjects& custom() { return custom_; }
  FakeElections& elections() { return elections_; }

  // What became of it.
  Pod Get(std::string_view name, std::string_view namespace_ = "default") const;
  /// Pods by name, with the node to which each was bound, in order.
  std::vector<std::pair<std::string, std::string>> bindings() const;
  /// The same of nominations; an empty node: withdrawn.
  std::vector<std::pair<std::string, std::string>> nominations() const;
  /// Pods, by name, off which a gate was taken, in order.
  std::vector<std::string> released() const;
  std::vector<ClusterEvent> events() const;
  std::vector<std::string> evictions() const;
  /// What was written last of each PodGroup, by name.
  std::map<std::string, PodGroupStatus> statuses() const;

  absl::StatusOr<ClusterView> Take() override;
  Subscription OnChange(std::function<void()> changed,
                        ChangeScope scope = ChangeScope::kAllButGroupStatus) override;
  absl::Status Assume(const PodId& pod, std::string_view node) override;
  void Forget(const PodId& pod) override;
  absl::Status Bind(const PodId& pod, std::string_view node, const StringMap& annotations,
                    const CallLimits& limits) override;
  absl::StatusOr<Pod> Read(std::string_view namespace_, std::string_view name,
                           const CallLimits& limits) override;
  absl::StatusOr<std::vector<Pod>> ReadAll(std::string_view namespace_,
                                           const CallLimits& limits) override;
  absl::Status Nominate(const PodId& pod, std::string_view node, std::string_view resource_version,
                        const CallLimits& limits) override;
  absl::Status WriteUnscheduled(const Pod& pod, std::string_view message,
                                const CallLimits& limits) override;
  absl::Status RemoveGate(const PodId& pod, std::string_view gate, const StringMap& annotations,
                          const CallLimits& limits) override;
  absl::Status Evict(const PodId& pod, const CallLimits& limits) override;
  absl::Status MayEvict(const PodId& pod, const CallLimits& limits) override;
  absl::StatusOr<LeaseRecord> ReadLease(std::string_view namespace_, std::string_view name,
                                        const CallLimits& limits) override;
  absl::Status WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                           const CallLimits& limits) override;
  absl::Status AnnotateGroup(const PodGroup& group, std::string_view key, std::string_view value,
                             const CallLimits& limits) override;
  void Record(ClusterEvent event) override;

  absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                  const CallLimits& limits) override {
    return keep_.ReadPriorityClass(name, limits);
  }
  absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const override {
    return keep_.ParsePriorityClass(manifest);
  }
  absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                    const CallLimits& limits) override {
    return keep_.CreatePriorityClass(made, limits);
  }
  absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                      const CallLimits& limits) override {
    return keep_.TryCreatePriorityClass(made, limits);
  }
  absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                   std::string_view resource_version,
                                   const CallLimits& limits) override {
    return keep_.DeletePriorityClass(name, uid, resource_version, limits);
  }
  absl::StatusOr<AdmittedPod> TryPod(std::string_view namespace_, std::string_view class_name,
                                     const CallLimits& limits) override {
    return keep_.TryPod(namespace_, class_name, limits);
  }
  absl::StatusOr<bool> OwnerExists(const OwnerReference& owner, const CallLimits& limits) override {
    return keep_.OwnerExists(owner, limits);
  }
  absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) override {
    return keep_.ReadConfigMap(namespace_, name, limits);
  }
  absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map,
                                           const CallLimits& limits) override {
    return keep_.WriteConfigMap(map, limits);
  }
  absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) override {
    return keep_.DeleteConfigMap(map, limits);
  }
  std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) override {
    return custom_.Follow(kind, sink);
  }
  absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                               const CustomObjectName& object,
                                               const CallLimits& limits) override {
    return custom_.ReadCustomObject(kind, object, limits);
  }
  absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                 std::string_view namespace_, std::string_view json,
                                                 const CallLimits& limits) override {
    return custom_.CreateCustomObject(kind, namespace_, json, limits);
  }
  absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                const CustomObjectName& object,
                                                std::string_view status_patch,
                                                const CallLimits& limits) override {
    return custom_.PatchCustomStatus(kind, object, status_patch, limits);
  }
  absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim claim,
                                                   ElectionCallbacks callbacks) override {
    return elections_.Stand(std::move(claim), std::move(callbacks));
  }

 private:
  using Name = std::pair<std::string, std::string>;
  void Changed() { changes_.Notify(); }
  void TakeClasses();
  void ChangeObjects(const std::function<void(ClusterObjects*)>& change);
  void ChangeClaims(const std::function<bool(cluster::ClaimStore*)>& edit);
  absl::Status AskForEviction(const PodId& pod, bool dry_run);
  absl::Status Change(const PodId& id, std::string_view version,
                      const std::function<void(Pod*)>& change);

  cluster::ChangeListeners changes_;
  FakeObjects keep_;
  FakeCustomObjects custom_;
  FakeElections elections_;
  mutable std::mutex mutex_;
  std::unique_ptr<cluster::Cluster> cluster_;
  std::map<Name, Pod> pods_;
  std::shared_ptr<const ClusterObjects> objects_;
  std::unique_ptr<cluster::ClaimStore> claims_;
  absl::StatusOr<LeaseRecord> lease_{LeaseRecord{}};
  int lease_reads_ = 0;
  std::function<void()> on_read_lease_;
  absl::Status usable_;
  std::function<absl::Status(const std::string& pod)> on_bind_;
  std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_nominate_;
  std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_remove_gate_;
  absl::Status annotations_refused_;
  std::function<absl::Status(const std::string& pod, bool dry_run)> on_evict_;
  std::function<absl::Status(const PodGroup& group, const CallLimits& limits)> on_annotate_;
  std::vector<std::pair<std::string, std::string>> bindings_;
  std::vector<std::pair<std::string, std::string>> nominations_;
  std::vector<std::string> released_;
  std::vector<ClusterEvent> events_;
  std::vector<std::string> evictions_;
  std::map<std::string, PodGroupStatus> statuses_;
  int64_t version_ = 0;
  Subscription classes_changed_;
};

}  // namespace outrigger::testing
