#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "gang/plan/nodes/node_space.h"

namespace outrigger::plan {

/// The nodes on which a unit may be placed, and for each shape the ones that still have room, the
/// fullest first. Within a plan nodes only fill up, so a node that was found full is not looked at
/// again: placing all members of a shape costs one pass over the nodes. Not thread-safe.
class Ground {
 public:
  /// The whole cluster. `space` must outlive it.
  explicit Ground(const NodeSpace* space);
  /// Some nodes, in the order of their names, or in that in which they are to be filled. Both must
  /// outlive it.
  Ground(const NodeSpace* space, const std::vector<Slot>* slots, bool keep_order = false);

  /// Nodes with room for a shape. Those before `next` are full.
  struct Front {
    std::vector<Slot> slots;
    size_t next = 0;
  };

  /// Must be asked for before anything is placed that may be taken back later: what is full then
  /// is left out.
  Front& FrontOf(ShapeIndex shape);
  /// Some of what was taken has been given back. No Front is valid any more.
  void SomeCameFree() { fronts_.clear(); }
  const std::vector<Slot>& slots() const { return *slots_; }
  bool Has(Slot slot) const { return whole_ || members_.contains(slot); }

 private:
  const NodeSpace* space_;
  const std::vector<Slot>* slots_;
  const bool whole_;
  const bool keep_order_;
  absl::flat_hash_set<Slot> members_;             // unless whole_
  std::unordered_map<ShapeIndex, Front> fronts_;  // a Front stays where it is
};

}  // namespace outrigger::plan
