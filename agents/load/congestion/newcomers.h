#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::congestion {

/// The pods that came to nodes since these were measured, and how much congestion to expect of one.
/// A node counts as measured when its factor changes, and again after each kMeasured: a monitor may
/// write only changes. Thread-safe.
class Newcomers {
 public:
  static constexpr std::chrono::seconds kMeasured{300};

  /// The congestion factor of a node; 0 where it has none.
  using FactorOf = absl::FunctionRef<int64_t(const Node& node)>;

  struct Counts {
    /// By node: pods that came, less those that went. Nodes where that is 0 are not in it.
    absl::flat_hash_map<std::string, int64_t> by_node;
    double per_pod = 0;  ///< factor that a pod has in the mean, on nodes that have one
  };

  /// `cluster` outlives this.
  Newcomers(ClusterReader* cluster, const Clock& clock) : cluster_(cluster), now_(clock.now) {}

  /// As of now; null where the view of the cluster is too old. Costs some nanoseconds for each node
  /// after a change of the cluster.
  std::shared_ptr<const Counts> Take(FactorOf factor_of);

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Account {
    std::string name;
    const Node* node = nullptr;  // of snapshot_, where the same address is the same node
    int64_t factor = 0;
    int64_t pods = 0;  // when it was measured
    Time measured = {};
  };

  /// Brings the accounts into the order of the snapshot. New ones have no node.
  void Arrange(const ClusterSnapshot& snapshot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// How many pods came to the node of that account.
  static int64_t Update(const NodeView& view, Time now, FactorOf factor_of, Account* account);

  ClusterReader* const cluster_;
  const SteadyNow now_;
  Mutex mutex_;
  std::shared_ptr<const ClusterSnapshot> snapshot_ ABSL_GUARDED_BY(mutex_);
  Time next_ ABSL_GUARDED_BY(mutex_);  // when counts of the same snapshot are others
  std::vector<Account> accounts_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const Counts> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::congestion
