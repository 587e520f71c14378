#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "estimate.h"
#include "node_account.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::safe {

/// What is known of one node, its statistics left out.
struct NodeNews {
  uint64_t revision = 0;  ///< of the node that this is about
  Window measured;        ///< of what time its statistics are
  Amounts correction = {};
};

/// Nodes of which other answers are right than before.
struct ChangedNodes {
  bool all = false;
  std::vector<uint64_t> revisions;
};

/// Keeps an account of each node of the cluster.
///
/// Reads what has changed when a call asks for it, and when it hears of changes, at most once in a
/// second: so the time at which a pod went is known to a second without calls, too. Only the first
/// change after a pause is taken for as old as the last one before it, if that came within 50 ms of
/// another: such a one is not looked at by itself. A look costs some nanoseconds for a node that
/// has not changed and the pods of those that have. Thread-safe.
class PodLedger {
 public:
  struct Options {
    Estimate estimate;
    double window = 0;
    Clock clock = {};
    std::function<void(std::string_view)> warn;
  };

  /// `cluster` outlives this.
  PodLedger(ClusterReader* cluster, Options options);
  PodLedger(const PodLedger&) = delete;
  PodLedger& operator=(const PodLedger&) = delete;

  /// Takes in what has changed. Where the view of the cluster is too old, nothing is known of any
  /// node until it is not; a warning says so, once each time.
  void CatchUp();
  /// As of the last CatchUp(), or a later moment.
  std::optional<NodeNews> Find(std::string_view node) const;
  /// The nodes for which Find() has changed since the last call of this.
  ChangedNodes TakeChanges();

 private:
  using SnapshotPtr = std::shared_ptr<const ClusterSnapshot>;

  /// A look at the cluster: when it is, and when what is new in it happened.
  struct Look {
    double now = 0;
    double changed = 0;
  };

  void OnChange();
  double Now() const;
  /// Before the snapshot is taken: what comes between the two is news for the next one.
  Look Begin(double now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lose(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Advance(SnapshotPtr snapshot, const Look& look) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// Later than what the accounts are of; null is not.
  bool IsNew(const ClusterSnapshot* snapshot) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Read(SnapshotPtr snapshot, const Look& look) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Update(const NodeView& view, const NodeAccount::Moment& at)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropMissing(const ClusterSnapshot& snapshot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddFinished(const NodeAccount::Moment& at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell(const NodeAccount& account) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ClusterReader* const cluster_;
  const Options options_;
  mutable Mutex mutex_;
  SnapshotPtr snapshot_ ABSL_GUARDED_BY(mutex_);  // that the accounts are of
  double read_at_ ABSL_GUARDED_BY(mutex_) = 0;
  SnapshotPtr held_ ABSL_GUARDED_BY(mutex_);  // a later one that waits to be read
  double held_at_ ABSL_GUARDED_BY(mutex_) = 0;
  double looked_at_ ABSL_GUARDED_BY(mutex_) = 0;
  double skipped_at_ ABSL_GUARDED_BY(mutex_) = 0;  // the last change since then; 0: none
  // By name. Accounts do not move.
  absl::flat_hash_map<std::string, std::unique_ptr<NodeAccount>> accounts_ ABSL_GUARDED_BY(mutex_);
  std::vector<NodeView> seen_ ABSL_GUARDED_BY(mutex_);  // the nodes of snapshot_, in its order
  ChangedNodes changes_ ABSL_GUARDED_BY(mutex_);
  bool is_lost_ ABSL_GUARDED_BY(mutex_) = false;
  Subscription subscription_;  // last: its callback uses what is above
};

}  // namespace outrigger::safe
