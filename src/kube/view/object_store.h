#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/functional/function_ref.h"
#include "cluster/claim_store.h"
#include "kube/view/class_store.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/pod_group.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger::kube {

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
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any class_removed_;
  std::map<Key, PodGroup> groups_;
  ClassStore classes_;
  std::map<std::string, std::string, std::less<>> device_classes_;  // what resource they serve
  std::map<std::pair<std::string, std::string>, DisruptionBudget> budgets_;
  cluster::ClaimStore claims_;
  std::shared_ptr<const ClusterObjects> taken_;
  bool is_dirty_ = true;          // taken_ is older than the rest
  bool is_status_dirty_ = false;  // the same of what status_version counts
  uint64_t version_ = 0;
  uint64_t status_version_ = 0;
  std::jthread forgetting_;  // from the first removed class on; last: it uses all of the above
};

}  // namespace outrigger::kube
