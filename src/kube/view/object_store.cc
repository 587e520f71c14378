#include "kube/view/object_store.h"

#include <algorithm>
#include <utility>

namespace outrigger::kube {
namespace {

bool SameGroup(const PodGroup& a, const PodGroup& b) {
  // Named in full, so that a field that is added has to be thought of here.
  const auto& [dialect, namespace_, name, uid, created, min_member, independent, min_task_member,
               min_resources, timeout, priority_class_name, annotations, labels] = a;
  return dialect == b.dialect && namespace_ == b.namespace_ && name == b.name && uid == b.uid &&
         created == b.created && min_member == b.min_member && independent == b.independent &&
         min_task_member == b.min_task_member &&
         std::equal(min_resources.begin(), min_resources.end(), b.min_resources.begin(),
                    b.min_resources.end()) &&
         timeout == b.schedule_timeout_seconds && priority_class_name == b.priority_class_name &&
         annotations == b.annotations && labels == b.labels;
}

}  // namespace

template <typename Edit>
void ObjectStore::Change(const Edit& edit) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!edit()) return;
    is_dirty_ = true;
  }
  if (changed_) changed_();
}

void ObjectStore::PutGroup(PodGroup group) {
  Change([&] {
    PodGroup& known = groups_[{group.dialect, group.namespace_, group.name}];
    if (SameGroup(known, group)) return false;
    known = std::move(group);
    return true;
  });
}

void ObjectStore::RemoveGroup(Dialect dialect, std::string_view namespace_, std::string_view name) {
  Change([&] { return groups_.erase({dialect, std::string(namespace_), std::string(name)}) > 0; });
}

void ObjectStore::PutClass(std::string_view name, int32_t value) {
  Change([&] {
    const auto [at, is_new] = classes_.try_emplace(std::string(name), value);
    return std::exchange(at->second, value) != value || is_new;
  });
}

void ObjectStore::RemoveClass(std::string_view name) {
  Change([&] { return classes_.erase(std::string(name)) > 0; });
}

void ObjectStore::PutDeviceClass(DeviceClass put) {
  Change([&] {
    const auto [at, is_new] = device_classes_.try_emplace(put.name);
    return std::exchange(at->second, put.extended_resource) != put.extended_resource || is_new;
  });
}

void ObjectStore::RemoveDeviceClass(std::string_view name) {
  Change([&] { return device_classes_.erase(std::string(name)) > 0; });
}

void ObjectStore::PutBudget(DisruptionBudget budget) {
  Change([&] {
    DisruptionBudget& known = budgets_[{budget.namespace_, budget.name}];
    if (known == budget) return false;
    known = std::move(budget);
    return true;
  });
}

void ObjectStore::RemoveBudget(std::string_view namespace_, std::string_view name) {
  Change([&] { return budgets_.erase({std::string(namespace_), std::string(name)}) > 0; });
}

void ObjectStore::ChangeClaims(absl::FunctionRef<bool(cluster::ClaimStore* claims)> edit) {
  Change([&] { return edit(&claims_); });
}

std::shared_ptr<const ClusterObjects> ObjectStore::Take(DialectSet served,
                                                        std::map<Dialect, std::string> unknown) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_dirty_ && taken_->served == served && taken_->unknown_versions == unknown) return taken_;
  auto objects = std::make_shared<ClusterObjects>();
  objects->pod_groups.reserve(groups_.size());
  for (const auto& [key, group] : groups_) objects->pod_groups.push_back(group);
  objects->served = served;
  objects->unknown_versions = std::move(unknown);
  objects->priority_classes = classes_;
  objects->budgets.reserve(budgets_.size());
  for (const auto& [key, budget] : budgets_) objects->budgets.push_back(budget);
  for (const auto& [name, resource] : device_classes_) {
    AddDeviceResources({name, resource}, &objects->device_resources);
  }
  objects->claims = claims_.Take();
  objects->version = ++version_;
  is_dirty_ = false;
  taken_ = std::move(objects);
  return taken_;
}

}  // namespace outrigger::kube
