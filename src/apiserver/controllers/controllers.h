#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <vector>

#include "apiserver/controllers/desk.h"
#include "apiserver/controllers/work_queue.h"
#include "apiserver/store/store.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/writes.h"
#include "outrigger/base/clock.h"

// What makes objects a cluster, as kube-controller-manager does: ReplicaSets, Deployments, Jobs,
// namespaces, garbage, nodes and disruption budgets.

namespace outrigger::apiserver {

/// Follows the store's log in one thread, and writes as any client does, through admission. Call
/// either Start(), or Settle() from one thread.
class Controllers {
 public:
  struct Deps {
    Store* store;
    const Catalog* catalog;
    const Writes* writes;
    Clock clock;
  };
  explicit Controllers(Deps deps);
  /// Stops and joins.
  ~Controllers();
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
  void SyncQueued(const std::stop_token& stop);
  std::chrono::milliseconds UntilNext() const;

  const Deps deps_;
  std::unique_ptr<Desk> desk_;
  std::unique_ptr<WorkQueue> queue_;
  std::vector<std::unique_ptr<Reconciler>> reconcilers_;
  std::unordered_map<const Collection*, std::vector<Reconciler*>> watchers_;
  std::vector<Reconciler*> see_all_;
  uint64_t read_ = 0;
  std::vector<Change> changes_;
  std::jthread thread_;
};

}  // namespace outrigger::apiserver
