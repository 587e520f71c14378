#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gang/desk/board.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::desk {

/// Whether members whose places kube-scheduler does not offer find others among the nodes that it
/// does (PlaceMoves). Works out what it is asked for, once. Not thread-safe.
class StandIns {
 public:
  /// `samples`: kube-scheduler offers a part of the `nodes`. `board` outlives this.
  StandIns(const Board* board, size_t nodes, bool samples)
      : board_(board), nodes_(nodes), samples_(samples) {}

  /// True if it offers all nodes, or every fifth one is no unit's place, or that of a member that
  /// asks for the same as each of this unit: of 100 nodes or more that are offered one is very
  /// likely to be such a node.
  bool AreEnoughFor(const BoardUnit& unit);

 private:
  /// Places of members that ask for the same.
  struct Alike {
    ResourceList requests;
    size_t nodes = 0;  // where they are
  };
  /// Gangs that ask for something else than those before are taken to have no stand-ins.
  static constexpr size_t kMost = 32;
  bool IsOneInFive(size_t nodes) const { return nodes * 5 > nodes_; }
  void Find();
  size_t KindOf(const ResourceList& requests);

  const Board* const board_;
  const size_t nodes_;
  const bool samples_;
  bool is_found_ = false;
  std::vector<Alike> kinds_;
  absl::flat_hash_map<const BoardUnit*, uint64_t> kinds_of_;  // a bit each; kMost: others
};

}  // namespace outrigger::desk
