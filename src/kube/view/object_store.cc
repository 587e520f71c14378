#include "kube/view/object_store.h"

#include <algorithm>
#include <utility>

namespace outrigger::kube {

ClassStore::Change ClassStore::PutValue(std::string_view name, int32_t value) {
  if (const auto due = due_.find(name); due != due_.end()) due_.erase(due);
  const auto [at, is_new] = values_.try_emplace(std::string(name), value);
  const bool differs = std::exchange(at->second, value) != value;
  return differs || is_new ? Change::kValue : Change::kNone;
}

ClassStore::Change ClassStore::Put(PriorityClass put) {
  const Change change = PutValue(put.name, put.value);
  PriorityClass& known = classes_[put.name];
  if (known == put) return change;
  known = std::move(put);
  return std::max(change, Change::kClass);
}

ClassStore::Change ClassStore::Remove(std::string_view name, TimePoint now) {
  if (!values_.contains(name)) return Change::kNone;
  due_.try_emplace(std::string(name), now + kGrace);
  const auto known = classes_.find(name);
  if (known == classes_.end()) return Change::kNone;
  classes_.erase(known);
  return Change::kClass;
}

bool ClassStore::Forget(TimePoint now) {
  const size_t before = due_.size();
  std::erase_if(due_, [&](const auto& entry) {
    const auto& [name, when] = entry;
    if (when > now) return false;
    values_.erase(name);
    return true;
  });
  return due_.size() < before;
}

std::optional<ClassStore::TimePoint> ClassStore::next_due() const {
  std::optional<TimePoint> next;
  for (const auto& [name, when] : due_) next = std::min(next.value_or(when), when);
  return next;
}

std::vector<PriorityClass> ClassStore::Classes() const {
  std::vector<PriorityClass> all;
  all.reserve(classes_.size());
  for (const auto& [name, known] : classes_) all.push_back(known);
  return all;
}

ObjectStore::ObjectStore(Listeners listeners, Clock clock)
    : listeners_(std::move(listeners)), clock_(std::move(clock)) {}

template <typename Edit>
void ObjectStore::Change(const Edit& edit) {
  Extent extent = Extent::kNothing;
  {
    const MutexLock lock(mutex_);
    extent = edit();
    is_dirty_ |= extent == Extent::kObjects;
    is_status_dirty_ |= extent == Extent::kStatus;
  }
  Tell(extent);
}

void ObjectStore::Tell(Extent extent) const {
  if (extent == Extent::kObjects && listeners_.changed) listeners_.changed();
  if (extent == Extent::kStatus && listeners_.status_changed) listeners_.status_changed();
}

void ObjectStore::PutGroup(PodGroup group) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    PodGroup& known = groups_[{group.dialect, group.namespace_, group.name}];
    const bool same = SameButForStatus(known, group);
    const bool same_status =
        known.phase == group.phase && known.resource_version == group.resource_version;
    if (same && same_status) return Extent::kNothing;
    is_status_dirty_ |= !same_status;
    known = std::move(group);
    return same ? Extent::kStatus : Extent::kObjects;
  });
}

void ObjectStore::RemoveGroup(Dialect dialect, std::string_view namespace_, std::string_view name) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ExtentOf(groups_.erase({dialect, std::string(namespace_), std::string(name)}) > 0);
  });
}

void ObjectStore::ChangeClasses(absl::FunctionRef<ClassStore::Change(ClassStore* classes)> edit) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const ClassStore::Change change = edit(&classes_);
    if (change == ClassStore::Change::kNone) return Extent::kNothing;
    is_status_dirty_ = true;
    return change == ClassStore::Change::kClass ? Extent::kStatus : Extent::kObjects;
  });
}

void ObjectStore::PutClassValue(std::string_view name, int32_t value) {
  ChangeClasses([&](ClassStore* classes) { return classes->PutValue(name, value); });
}

void ObjectStore::PutClass(PriorityClass put) {
  ChangeClasses([&](ClassStore* classes) { return classes->Put(std::move(put)); });
}

void ObjectStore::RemoveClass(std::string_view name) {
  ChangeClasses([&](ClassStore* classes) {
    if (!forgetting_.joinable()) {
      forgetting_ = std::jthread([this](const std::stop_token& stop) { ForgetValues(stop); });
    }
    return classes->Remove(name, clock_.now());
  });
  class_removed_.notify_all();
}

void ObjectStore::ForgetValues(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (class_removed_.wait(lock, stop, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return classes_.next_due().has_value();
  })) {
    const Clock::Duration left = *classes_.next_due() - clock_.now();
    if (left.count() > 0) {
      lock.unlock();
      if (!clock_.sleep(left, stop)) return;
      lock.lock();
      continue;
    }
    const bool changed = classes_.Forget(clock_.now());
    is_dirty_ |= changed;
    lock.unlock();
    if (changed) Tell(Extent::kObjects);
    lock.lock();
  }
}

void ObjectStore::PutDeviceClass(DeviceClass put) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto [at, is_new] = device_classes_.try_emplace(put.name);
    const bool differs = std::exchange(at->second, put.extended_resource) != put.extended_resource;
    return ExtentOf(differs || is_new);
  });
}

void ObjectStore::RemoveDeviceClass(std::string_view name) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ExtentOf(device_classes_.erase(std::string(name)) > 0);
  });
}

void ObjectStore::PutBudget(DisruptionBudget budget) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    DisruptionBudget& known = budgets_[{budget.namespace_, budget.name}];
    if (known == budget) return Extent::kNothing;
    known = std::move(budget);
    return Extent::kObjects;
  });
}

void ObjectStore::RemoveBudget(std::string_view namespace_, std::string_view name) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ExtentOf(budgets_.erase({std::string(namespace_), std::string(name)}) > 0);
  });
}

void ObjectStore::ChangeClaims(absl::FunctionRef<bool(cluster::ClaimStore* claims)> edit) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ExtentOf(edit(&claims_)); });
}

void ObjectStore::Stop() {
  forgetting_ = std::jthread();
}

std::shared_ptr<const ClusterObjects> ObjectStore::Take(DialectSet served,
                                                        std::map<Dialect, std::string> unknown) {
  const MutexLock lock(mutex_);
  is_dirty_ |= taken_ == nullptr || taken_->served != served || taken_->unknown_versions != unknown;
  if (!is_dirty_ && !is_status_dirty_) return taken_;
  auto objects = std::make_shared<ClusterObjects>();
  objects->pod_groups.reserve(groups_.size());
  for (const auto& [key, group] : groups_) objects->pod_groups.push_back(group);
  objects->served = served;
  objects->unknown_versions = std::move(unknown);
  objects->priority_classes = classes_.values();
  objects->classes = classes_.Classes();
  objects->budgets.reserve(budgets_.size());
  for (const auto& [key, budget] : budgets_) objects->budgets.push_back(budget);
  for (const auto& [name, resource] : device_classes_) {
    AddDeviceResources({name, resource}, &objects->device_resources);
  }
  objects->claims = claims_.Take();
  if (std::exchange(is_dirty_, false)) ++version_;
  if (std::exchange(is_status_dirty_, false)) ++status_version_;
  objects->version = version_;
  objects->status_version = status_version_;
  taken_ = std::move(objects);
  return taken_;
}

}  // namespace outrigger::kube
