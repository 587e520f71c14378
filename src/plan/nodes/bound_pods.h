#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "plan/pairs/pod_pairs.h"

namespace outrigger::plan {

/// Counts the pods of a snapshot in PodPairs: those that forbid something to others by themselves,
/// and, once a pod asks for the neighbourhood of others, all of them. Only pods that came, changed
/// or went since the last time are unpacked. Not thread-safe.
class BoundPods {
 public:
  explicit BoundPods(PodPairs* pairs) : pairs_(pairs) {}

  /// What is in the slot now; null: no node. The pods that were there must still exist.
  void Set(size_t slot, const cluster::NodeState* state);
  /// From now on labels of all pods count. `states` by slot, as Set() was told.
  void CountAll(const std::vector<const cluster::NodeState*>& states);
  bool counts_all() const { return all_; }
  /// Some pod forbids something to others.
  bool any() const { return any_; }

 private:
  using Entry = std::pair<cluster::PodPtr, KindIndex>;

  bool Counts(const cluster::PodRecord& pod) const;

  PodPairs* const pairs_;
  bool all_ = false;
  bool any_ = false;
  std::vector<std::vector<Entry>> counted_;  // by slot, in the order of namespace and name
};

}  // namespace outrigger::plan
