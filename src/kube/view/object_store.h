#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "cluster/claim_store.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod_group.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger::kube {

/// PriorityClasses while they are followed. The value of one that is removed is kept for a while:
/// whoever changes a value deletes the class and creates it again. Not thread-safe.
class ClassStore {
 public:
  using TimePoint = Clock::TimePoint;
  static constexpr std::chrono::seconds kGrace{1};

  /// What has changed: nothing; something of Classes(); something of values(), and maybe of
  /// Classes() too.
  enum class Change : uint8_t { kNone, kClass, kValue };

  /// Of a class that is not known in whole: Classes() does not have it.
  Change PutValue(std::string_view name, int32_t value);
  Change Put(PriorityClass put);
  /// The value goes only by Forget().
  Change Remove(std::string_view name, TimePoint now);

  /// Forgets the values that are due. True: there were some.
  bool Forget(TimePoint now);
  /// When the next value is due.
  std::optional<TimePoint> next_due() const;

  const std::map<std::string, int32_t, std::less<>>& values() const { return values_; }
  /// By name.
  std::vector<PriorityClass> Classes() const;

 private:
  std::map<std::string, int32_t, std::less<>> values_;
  std::map<std::string, PriorityClass, std::less<>> classes_;
  std::map<std::string, TimePoint, std::less<>> due_;  // of removed classes
};

/// PodGroups, PriorityClasses, PodDisruptionBudgets, volumes and claims while they are followed. An
/// update that says what is known already changes nothing. Thread-safe.
class ObjectStore {
 public:
  /// Called after each change, by the thread that made it, without a lock; each may be empty.
  struct Listeners {
    std::function<void()> changed = {};         // what ClusterObjects::version counts
    std::function<void()> status_changed = {};  // what only status_version counts
  };

  explicit ObjectStore(Listeners listeners, Clock clock = {});

  void PutGroup(PodGroup group);
  void RemoveGroup(Dialect dialect, std::string_view namespace_, std::string_view name);
  /// Of a class that is not known in whole.
  void PutClassValue(std::string_view name, int32_t value);
  void PutClass(PriorityClass put);
  /// Its value is known for ClassStore::kGrace more.
  void RemoveClass(std::string_view name);
  void PutDeviceClass(DeviceClass put);
  void RemoveDeviceClass(std::string_view name);
  void PutBudget(DisruptionBudget budget);
  void RemoveBudget(std::string_view namespace_, std::string_view name);
  /// Calls `edit`, which says whether it has changed the claims, on its own.
  void ChangeClaims(absl::FunctionRef<bool(cluster::ClaimStore* claims)> edit);

  /// Returns when no value is forgotten any more. To be called when nothing is removed any more.
  void Stop();

  /// What is known now, beside what is `served`. Never null. Copies all, but only if something has
  /// changed since the call before.
  std::shared_ptr<const ClusterObjects> Take(DialectSet served,
                                             std::map<Dialect, std::string> unknown = {});

 private:
  using Key = std::tuple<Dialect, std::string, std::string>;

  /// How much a change changes.
  enum class Extent : uint8_t { kNothing, kStatus, kObjects };
  static Extent ExtentOf(bool changed) { return changed ? Extent::kObjects : Extent::kNothing; }

  /// Calls `edit` under the lock; it says what has changed.
  template <typename Edit>
  void Change(const Edit& edit);
  void ChangeClasses(absl::FunctionRef<ClassStore::Change(ClassStore* classes)> edit);
  void Tell(Extent extent) const;
  void ForgetValues(const std::stop_token& stop);

  const Listeners listeners_;
  const Clock clock_;
  Mutex mutex_;
  std::condition_variable_any class_removed_;
  std::map<Key, PodGroup> groups_ ABSL_GUARDED_BY(mutex_);
  ClassStore classes_ ABSL_GUARDED_BY(mutex_);
  // By class, the resource that it serves.
  std::map<std::string, std::string, std::less<>> device_classes_ ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<std::string, std::string>, DisruptionBudget> budgets_ ABSL_GUARDED_BY(mutex_);
  cluster::ClaimStore claims_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const ClusterObjects> taken_ ABSL_GUARDED_BY(mutex_);
  bool is_dirty_ ABSL_GUARDED_BY(mutex_) = true;          // taken_ is older than the rest
  bool is_status_dirty_ ABSL_GUARDED_BY(mutex_) = false;  // the same of what status_version counts
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t status_version_ ABSL_GUARDED_BY(mutex_) = 0;
  std::jthread forgetting_;  // from the first removed class on; last: it uses all of the above
};

}  // namespace outrigger::kube
