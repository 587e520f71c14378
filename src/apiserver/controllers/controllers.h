#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "apiserver/controllers/desk.h"

// What makes objects a cluster, as kube-controller-manager does: ReplicaSets, Deployments, Jobs,
// namespaces, garbage, nodes and disruption budgets.

namespace outrigger::apiserver {

/// Follows the store's log in one thread, and writes as any client does, through admission. Call
/// either Start(), or Settle() from one thread.
class Controllers {
 public:
  explicit Controllers(Desk::Deps deps) : deps_(std::move(deps)) {}
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  void Start();
  /// Works until nothing is left to do at this time of the clock.
  void Settle() { Settle(std::stop_token()); }

 private:
  void Begin();
  void Run(const std::stop_token& stop);
  void Settle(const std::stop_token& stop);
  bool ReadChanges();
  void See(const Change& change);
  bool SyncDue(const std::stop_token& stop);
  void Sync(const Task& task, const StoredPtr& object);

  const Desk::Deps deps_;
  std::unique_ptr<Desk> desk_;
  std::vector<ReconcilerPtr> reconcilers_;
  uint64_t read_ = 0;
  std::jthread thread_;  // stops and ends first
};

}  // namespace outrigger::apiserver
