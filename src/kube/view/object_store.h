#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/functional/function_ref.h"
#include "cluster/claim_store.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/k8s/pod_group.h"

namespace outrigger::kube {

/// PodGroups, PriorityClasses, PodDisruptionBudgets, volumes and claims while they are followed. An
/// update that says what is known already (of a PodGroup all but its status) changes nothing.
/// Thread-safe.
class ObjectStore {
 public:
  /// `changed` is called after each change, by the thread that made it, without a lock; may be
  /// empty.
  explicit ObjectStore(std::function<void()> changed) : changed_(std::move(changed)) {}

  void PutGroup(PodGroup group);
  void RemoveGroup(Dialect dialect, std::string_view namespace_, std::string_view name);
  void PutClass(std::string_view name, int32_t value);
  void RemoveClass(std::string_view name);
  void PutDeviceClass(DeviceClass put);
  void RemoveDeviceClass(std::string_view name);
  void PutBudget(DisruptionBudget budget);
  void RemoveBudget(std::string_view namespace_, std::string_view name);
  /// Calls `edit`, which says whether it has changed the claims, on its own.
  void ChangeClaims(absl::FunctionRef<bool(cluster::ClaimStore* claims)> edit);

  /// What is known now, beside what is `served`. Never null. Copies all, but only if something has
  /// changed since the call before.
  std::shared_ptr<const ClusterObjects> Take(DialectSet served,
                                             std::map<Dialect, std::string> unknown = {});

 private:
  using Key = std::tuple<Dialect, std::string, std::string>;

  /// Calls `edit` under the lock; it says whether anything has changed.
  template <typename Edit>
  void Change(const Edit& edit);

  const std::function<void()> changed_;
  std::mutex mutex_;  // guards what follows
  std::map<Key, PodGroup> groups_;
  std::map<std::string, int32_t, std::less<>> classes_;
  std::map<std::string, std::string, std::less<>> device_classes_;  // what resource they serve
  std::map<std::pair<std::string, std::string>, DisruptionBudget> budgets_;
  cluster::ClaimStore claims_;
  std::shared_ptr<const ClusterObjects> taken_;
  bool is_dirty_ = true;  // taken_ is older than the rest
  uint64_t version_ = 0;
};

}  // namespace outrigger::kube
