#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger::reward {

/// Finds what has changed of pods between two snapshots, without a look into pods that have not:
/// some nanoseconds for each of those. Not thread-safe.
class PodChanges {
 public:
  /// Calls `changed` for each pod that is new or not in the same state as in the snapshot of the
  /// call before, and `gone` with the UID of each that is not there any more. Holds `snapshot`.
  void Next(std::shared_ptr<const ClusterSnapshot> snapshot,
            absl::FunctionRef<void(const PodView& pod)> changed,
            absl::FunctionRef<void(std::string_view uid)> gone);
  /// Forgets the snapshot: the next call reports every pod.
  void Reset();

 private:
  struct Merge;

  std::shared_ptr<const ClusterSnapshot> snapshot_;
  std::vector<PodView> pods_;   // of that, in the order in which it shows them
  std::vector<PodView> spare_;  // keeps its memory
};

}  // namespace outrigger::reward
