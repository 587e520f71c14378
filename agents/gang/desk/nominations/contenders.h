#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gang/desk/board.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::desk {

/// Single pods that wait and are not held: kube-scheduler may give them a place that a gang is
/// about to take. Works out what it is asked for, once. Not thread-safe.
class Contenders {
 public:
  /// Both outlive this.
  Contenders(const Board* board, const ClusterSnapshot* snapshot)
      : board_(board), snapshot_(snapshot) {}

  /// True if one of them may find room on a node where the unit has places. Looks at requests
  /// alone, of all these pods together, so it is true too often rather than too rarely.
  bool AnyFor(const BoardUnit& unit);

 private:
  /// More of them are taken to ask for nothing.
  static constexpr size_t kMost = 1000;
  void Find();

  const Board* const board_;
  const ClusterSnapshot* const snapshot_;
  bool is_found_ = false;
  std::optional<ResourceList> least_;  // that each of them asks for; nothing: there are none
  absl::flat_hash_map<const BoardUnit*, ResourceList> most_free_;  // on one node, by resource
};

}  // namespace outrigger::desk
