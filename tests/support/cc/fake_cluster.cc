#include "fake_cluster.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "gang/plan/pods.h"

namespace outrigger::testing {
namespace {

bool SameName(const PodGroup& a, const PodGroup& b) {
  return a.dialect == b.dialect && a.namespace_ == b.namespace_ && a.name == b.name;
}

}  // namespace

FakeCluster::FakeCluster()
    : objects_(std::make_shared<ClusterObjects>()),
      claims_(std::make_unique<cluster::ClaimStore>()) {
  cluster::ClusterOptions options;
  options.indexes = {plan::PlannedPodsIndex()};
  options.changed = [this] { Changed(); };
  options.state_changed = [this] { changes_.NotifyOfState(); };
  cluster_ = std::make_unique<cluster::Cluster>(std::move(options));
  classes_changed_ = keep_.OnChange([this] { TakeClasses(); });
}

FakeCluster::~FakeCluster() = default;

Subscription FakeCluster::OnChange(std::function<void()> changed, ChangeScope scope) {
  return changes_.Add(std::move(changed), scope);
}

void FakeCluster::TakeClasses() {
  bool values_differ = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto objects = std::make_shared<ClusterObjects>(*objects_);
    objects->classes = keep_.Classes();
    if (objects->classes == objects_->classes) return;
    objects->priority_classes.clear();
    for (const PriorityClass& of : objects->classes) objects->priority_classes[of.name] = of.value;
    values_differ = objects->priority_classes != objects_->priority_classes;
    if (values_differ) ++objects->version;
    ++objects->status_version;
    objects_ = std::move(objects);
  }
  values_differ ? changes_.Notify() : changes_.NotifyOfStatus();
}

void FakeCluster::Put(const Node& node) {
  cluster_->UpsertNode(node);
}

void FakeCluster::RemoveNode(std::string_view name) {
  cluster_->RemoveNode(name);
}

void FakeCluster::Put(Pod pod) {
  if (pod.uid.empty()) pod.uid = fmt::format("uid-{}-{}", pod.namespace_, pod.name);
  if (pod.scheduler_name.empty()) pod.scheduler_name = "default-scheduler";
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pod.resource_version = std::to_string(++version_);
    pods_[{pod.namespace_, pod.name}] = pod;
  }
  cluster_->UpsertPod(pod);
}

void FakeCluster::Show(const Pod& pod) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pods_[{pod.namespace_, pod.name}] = pod;
  }
  cluster_->UpsertPod(pod);
}

void FakeCluster::RemovePod(std::string_view name, std::string_view namespace_) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pods_.erase({std::string(namespace_), std::string(name)});
  }
  cluster_->RemovePod(namespace_, name);
}

void FakeCluster::Change(std::string_view name, const std::function<void(Pod*)>& change) {
  Pod pod = Get(name);
  change(&pod);
  Put(std::move(pod));
}

absl::Status FakeCluster::Change(const PodId& id, std::string_view version,
                                 const std::function<void(Pod*)>& change) {
  Pod pod;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pods_.find({std::string(id.namespace_), std::string(id.name)});
    if (found == pods_.end()) return absl::NotFoundError("no such pod");
    if (found->second.uid != id.uid) return absl::AbortedError("another pod has that name");
    if (!version.empty() && found->second.resource_version != version) {
      return absl::AbortedError("the pod has changed");
    }
    pod = found->second;
  }
  change(&pod);
  Put(std::move(pod));
  return absl::OkStatus();
}

void FakeCluster::Put(PodGroup group) {
  bool only_status = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    group.resource_version = std::to_string(++version_);
    auto objects = std::make_shared<ClusterObjects>(*objects_);
    std::erase_if(objects->pod_groups, [&](const PodGroup& other) {
      if (!SameName(other, group)) return false;
      only_status = SameButForStatus(other, group);
      return true;
    });
    objects->served.Add(group.dialect);
    objects->unknown_versions.erase(group.dialect);
    objects->pod_groups.push_back(std::move(group));
    if (!only_status) ++objects->version;
    ++objects->status_version;
    objects_ = std::move(objects);
  }
  only_status ? changes_.NotifyOfStatus() : Changed();
}

void FakeCluster::ChangeObjects(const std::function<void(ClusterObjects*)>& change) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto objects = std::make_shared<ClusterObjects>(*objects_);
    change(objects.get());
    ++objects->version;
    objects_ = std::move(objects);
  }
  Changed();
}

void FakeCluster::RemoveGroup(Dialect dialect, std::string_view name, std::string_view namespace_) {
  ChangeObjects([&](ClusterObjects* objects) {
    std::erase_if(objects->pod_groups, [&](const PodGroup& group) {
      return group.dialect == dialect && group.name == name && group.namespace_ == namespace_;
    });
  });
}

void FakeCluster::OnAnnotate(
    std::function<absl::Status(const PodGroup& group, const CallLimits& limits)> on_annotate) {
  const std::lock_guard<std::mutex> lock(mutex_);
  on_annotate_ = std::move(on_annotate);
}

absl::Status FakeCluster::AnnotateGroup(const PodGroup& group, std::string_view key,
                                        std::string_view value, const CallLimits& limits) {
  if (group.uid.empty()) return absl::InvalidArgumentError("podgroups: a UID is missing");
  std::function<absl::Status(const PodGroup& group, const CallLimits& limits)> on_annotate;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    on_annotate = on_annotate_;
  }
  if (on_annotate) {
    absl::Status status = on_annotate(group, limits);
    if (!status.ok()) return status;
  }
  PodGroup annotated;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::vector<PodGroup>& groups = objects_->pod_groups;
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const PodGroup& other) { return SameName(other, group); });
    if (found == groups.end()) return absl::NotFoundError("no such PodGroup");
    if (found->uid != group.uid) return absl::AbortedError("another PodGroup has that name");
    annotated = *found;
  }
  if (annotated.annotations.Get(key) == value) return absl::OkStatus();
  for (const auto& [other, text] : std::exchange(annotated.annotations, {})) {
    if (other != key) annotated.annotations.Set(other, text);
  }
  if (!value.empty()) annotated.annotations.Set(key, value);
  Put(std::move(annotated));
  return absl::OkStatus();
}

void FakeCluster::ServeUnknown(Dialect dialect, const std::string& version) {
  ChangeObjects([&](ClusterObjects* objects) { objects->unknown_versions[dialect] = version; });
}

void FakeCluster::SetLeaseHolder(absl::StatusOr<std::string> holder) {
  if (!holder.ok()) return SetLease(holder.status());
  SetLease(LeaseRecord{*std::move(holder), "", std::chrono::hours(24)});
}

void FakeCluster::SetLease(absl::StatusOr<LeaseRecord> lease) {
  const std::lock_guard<std::mutex> lock(mutex_);
  lease_ = std::move(lease);
}

void FakeCluster::SetUsable(absl::Status usable) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    usable_ = std::move(usable);
  }
  Changed();
}

void FakeCluster::OnBind(std::function<absl::Status(const std::string& pod)> on_bind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  on_bind_ = std::move(on_bind);
}

void FakeCluster::OnNominate(
    std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_nominate) {
  const std::lock_guard<std::mutex> lock(mutex_);
  on_nominate_ = std::move(on_nominate);
}

Pod FakeCluster::Get(std::string_view name, std::string_view namespace_) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = pods_.find({std::string(namespace_), std::string(name)});
  return found == pods_.end() ? Pod() : found->second;
}

std::vector<std::pair<std::string, std::string>> FakeCluster::bindings() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bindings_;
}

std::vector<std::pair<std::string, std::string>> FakeCluster::nominations() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return nominations_;
}

std::vector<std::string> FakeCluster::released() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return released_;
}

std::vector<ClusterEvent> FakeCluster::events() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return events_;
}

std::vector<std::string> FakeCluster::evictions() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return evictions_;
}

absl::StatusOr<ClusterView> FakeCluster::Take() {
  ClusterView view;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!usable_.ok()) return usable_;
    view.objects = objects_;
  }
  view.snapshot = cluster_->Take();
  return view;
}

absl::Status FakeCluster::Assume(const PodId& pod, std::string_view node) {
  return cluster_->AssumePod(pod.namespace_, pod.name, pod.uid, node);
}

void FakeCluster::Forget(const PodId& pod) {
  cluster_->ForgetPod(pod.namespace_, pod.name, pod.uid);
}

absl::Status FakeCluster::Bind(const PodId& pod, std::string_view node,
                               const StringMap& annotations, const CallLimits& /*limits*/) {
  std::function<absl::Status(const std::string& pod)> on_bind;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    on_bind = on_bind_;
  }
  if (on_bind) {
    absl::Status status = on_bind(std::string(pod.name));
    if (!status.ok()) return status;
  }
  bool elsewhere = false;
  absl::Status status = Change(pod, "", [&](Pod* bound) {
    elsewhere = !bound->node_name.empty() && bound->node_name != node;
    if (elsewhere) return;
    bound->node_name = node;
    for (const auto& [key, value] : annotations) bound->annotations.Set(key, value);
  });
  if (elsewhere) return absl::AbortedError("bound to another node");
  if (!status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  bindings_.emplace_back(pod.name, node);
  return absl::OkStatus();
}

absl::StatusOr<Pod> FakeCluster::Read(std::string_view namespace_, std::string_view name,
                                      const CallLimits& /*limits*/) {
  Pod pod = Get(name, namespace_);
  if (pod.uid.empty()) return absl::NotFoundError("no such pod");
  return pod;
}

absl::StatusOr<std::vector<Pod>> FakeCluster::ReadAll(std::string_view namespace_,
                                                      const CallLimits& /*limits*/) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Pod> pods;
  for (const auto& [name, pod] : pods_) {
    if (name.first == namespace_) pods.push_back(pod);
  }
  return pods;
}

absl::Status FakeCluster::Nominate(const PodId& pod, std::string_view node,
                                   std::string_view resource_version, const CallLimits& limits) {
  std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_nominate;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    on_nominate = on_nominate_;
  }
  if (on_nominate) {
    absl::Status status = on_nominate(std::string(pod.name), limits);
    if (!status.ok()) return status;
  }
  absl::Status status =
      Change(pod, resource_version, [&](Pod* changed) { changed->nominated_node_name = node; });
  if (!status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  nominations_.emplace_back(pod.name, node);
  return absl::OkStatus();
}

absl::Status FakeCluster::WriteUnscheduled(const Pod& pod, std::string_view message,
                                           const CallLimits& /*limits*/) {
  return Change({pod.namespace_, pod.name, pod.uid}, pod.resource_version,
                [&](Pod* changed) { changed->unscheduled_message = message; });
}

void FakeCluster::OnRemoveGate(
    std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_remove_gate) {
  const std::lock_guard<std::mutex> lock(mutex_);
  on_remove_gate_ = std::move(on_remove_gate);
}

void FakeCluster::RefuseAnnotations(absl::Status refusal) {
  const std::lock_guard<std::mutex> lock(mutex_);
  annotations_refused_ = std::move(refusal);
}

absl::Status FakeCluster::RemoveGate(const PodId& pod, std::string_view gate,
                                     const StringMap& annotations, const CallLimits& limits) {
  std::function<absl::Status(const std::string& pod, const CallLimits& limits)> on_remove_gate;
  absl::Status refused;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    on_remove_gate = on_remove_gate_;
    if (!annotations.empty()) refused = annotations_refused_;
  }
  if (on_remove_gate) {
    absl::Status status = on_remove_gate(std::string(pod.name), limits);
    if (!status.ok()) return status;
  }
  if (!refused.ok()) return refused;
  absl::Status status = Change(pod, "", [&](Pod* changed) {
    std::erase(changed->scheduling_gates, gate);
    for (const auto& [key, value] : annotations) changed->annotations.Set(key, value);
  });
  if (!status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  released_.emplace_back(pod.name);
  return absl::OkStatus();
}

void FakeCluster::Put(DisruptionBudget budget) {
  ChangeObjects([&](ClusterObjects* objects) {
    std::erase_if(objects->budgets, [&](const DisruptionBudget& other) {
      return other.namespace_ == budget.namespace_ && other.name == budget.name;
    });
    objects->budgets.push_back(std::move(budget));
  });
}

void FakeCluster::ChangeClaims(const std::function<bool(cluster::ClaimStore*)>& edit) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!edit(claims_.get())) return;
    auto objects = std::make_shared<ClusterObjects>(*objects_);
    objects->claims = claims_->Take();
    ++objects->version;
    objects_ = std::move(objects);
  }
  Changed();
}

void FakeCluster::Put(Volume volume) {
  ChangeClaims([&](cluster::ClaimStore* claims) { return claims->Put(std::move(volume)); });
}

void FakeCluster::Put(VolumeClaim claim) {
  ChangeClaims([&](cluster::ClaimStore* claims) { return claims->Put(std::move(claim)); });
}

void FakeCluster::Put(DeviceClaim claim) {
  ChangeClaims([&](cluster::ClaimStore* claims) { return claims->Put(std::move(claim)); });
}

void FakeCluster::OnEvict(
    std::function<absl::Status(const std::string& pod, bool dry_run)> on_evict) {
  const std::lock_guard<std::mutex> lock(mutex_);
  on_evict_ = std::move(on_evict);
}

absl::Status FakeCluster::AskForEviction(const PodId& pod, bool dry_run) {
  std::function<absl::Status(const std::string& pod, bool dry_run)> on_evict;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    on_evict = on_evict_;
  }
  return on_evict ? on_evict(std::string(pod.name), dry_run) : absl::OkStatus();
}

absl::Status FakeCluster::MayEvict(const PodId& pod, const CallLimits& /*limits*/) {
  return AskForEviction(pod, /*dry_run=*/true);
}

absl::Status FakeCluster::Evict(const PodId& pod, const CallLimits& /*limits*/) {
  absl::Status allowed = AskForEviction(pod, /*dry_run=*/false);
  if (!allowed.ok()) return allowed;
  absl::Status status = Change(pod, "", [](Pod* changed) { changed->being_deleted = true; });
  if (!status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  evictions_.emplace_back(pod.name);
  return absl::OkStatus();
}

void FakeCluster::OnReadLease(std::function<void()> on_read) {
  const std::lock_guard<std::mutex> lock(mutex_);
  on_read_lease_ = std::move(on_read);
}

int FakeCluster::lease_reads() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lease_reads_;
}

absl::StatusOr<LeaseRecord> FakeCluster::ReadLease(std::string_view /*namespace_*/,
                                                   std::string_view /*name*/,
                                                   const CallLimits& /*limits*/) {
  absl::StatusOr<LeaseRecord> lease;
  std::function<void()> on_read;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++lease_reads_;
    lease = lease_;
    on_read = on_read_lease_;
  }
  if (on_read) on_read();
  return lease;
}

absl::Status FakeCluster::WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                                      const CallLimits& /*limits*/) {
  const std::lock_guard<std::mutex> lock(mutex_);
  statuses_[group.name] = status;
  return absl::OkStatus();
}

std::map<std::string, PodGroupStatus> FakeCluster::statuses() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return statuses_;
}

void FakeCluster::Record(ClusterEvent event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.push_back(std::move(event));
}

}  // namespace outrigger::testing
