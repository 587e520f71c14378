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
#include "absl/status/statusor.h"
#include "burst.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "settings.h"
#include "statistics.h"

namespace outrigger::safe {

/// What is expected of a pod before it is measured.
struct Estimate {
  enum class Basis : uint8_t { kRequests, kLimits };
  Basis basis = Basis::kRequests;
  Amounts factors = {1, 1};  ///< of requests or limits
  Amounts defaults = {};     ///< of a pod that states nothing of the resource
};

/// How much of what pods request they use in the mean, before it is measured: the estimator of
/// Koordinator's LoadAwareScheduling (its defaults of 1.6).
inline constexpr Amounts kUsedOfRequests = {0.85, 0.70};

/// InvalidArgument names the setting, its value and what is accepted.
absl::StatusOr<Estimate> EstimateFrom(const Settings& settings);

/// What the pod is expected to use on its node: what it requests there (of kLimits its limits, and
/// its requests where it has none) times the factor, or the default. Each amount is from 0 to
/// kMostExpected, whatever the pod says.
Amounts ExpectedUse(const PodView& pod, const Estimate& estimate);
inline constexpr double kMostExpected = 1e24;

/// True if both are the same node with the same pods, all in the same state. Both snapshots must
/// still be held.
bool IsSameState(const NodeView& a, const NodeView& b);

/// What is known of the measurement of one node and of the pods that came or went about that time.
///
/// Only pods that it does not hold in full, and those it holds that have gone, are kept: of the
/// latter at most kMostGone, where neighbours in time are joined into one of the same use. Not
/// thread-safe.
class NodeAccount {
 public:
  static constexpr size_t kMostGone = 64;

  /// Of what is known at a moment. Times are in seconds since 1970.
  struct Moment {
    const ClusterSnapshot& snapshot;
    double now = 0;
    double changed = 0;  // when what is new in it happened: `now`, or before that
    const Estimate& estimate;
    double window = 0;  // of nodes that do not say it
  };

  /// Takes the node as it is in `at.snapshot`. Views of the snapshot before must still be valid;
  /// those of this one are kept.
  void Update(const NodeView& node, const Moment& at);
  /// Takes a finished pod that was here before the first look.
  void AddFinished(const PodView& pod, const Moment& at);

  const NodeView& node() const { return *node_; }
  /// Of what time the node's statistics are: what the node says, but no end that lies after it was
  /// read; else the time at which they changed, and the default length.
  const Window& measured() const { return measured_; }
  const Amounts& correction() const { return correction_; }
  /// Counts changes of measured() and correction().
  uint64_t version() const { return version_; }

 private:
  struct Young {
    PodView pod;
    Stay stay;
  };

  void ReadNode(const Moment& at);
  void AddGone(const PodView& pod, const Moment& at);
  void FindGone(const PodRange& before, const PodRange& after, const Moment& at);
  void FindYoung(const PodRange& pods, const Moment& at);
  void Keep(const Stay& gone);
  void JoinTwo();
  void Settle(const Estimate& estimate);
  /// How much of what is expected of all pods that the window holds was really used: 1, or less.
  Amounts UsedShare(const Estimate& estimate, const Amounts& gone, const Amounts& missing) const;

  std::optional<NodeView> node_;  // null before the first Update()
  std::string statistics_;        // the annotations, to see them change
  double changed_ = 0;            // when they did
  double read_ = 0;               // when that was seen
  Window measured_;
  std::vector<Young> young_;  // by namespace and name
  std::vector<Stay> gone_;    // by their end
  Amounts correction_ = {};
  uint64_t version_ = 0;
};

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
