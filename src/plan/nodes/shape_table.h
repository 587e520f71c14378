#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "base/in_step.h"
#include "outrigger/plan/unit.h"
#include "plan/nodes/node_space.h"

namespace outrigger::plan {

/// Remembers the shapes of pods from plan to plan, since to work one out costs more than to place
/// it. Not thread-safe.
class ShapeTable {
 public:
  explicit ShapeTable(NodeSpace* space) : space_(space) {}
  /// Makes the shapes of all members known: what one asks of others may change that of another.
  /// To be called before anything is placed. Begins a round if none is under way: plans of one
  /// round share what is known, and what one more of them costs in memory is what it asks for
  /// first.
  void Learn(std::span<const Unit> units);
  /// Of what Learn() was given: the shapes of all members, unit after unit.
  std::span<const ShapeIndex> learnt() const { return learnt_; }
  /// Of a member of those units.
  ShapeIndex Of(const Member& member);
  /// Ends the round, and forgets pods that no Learn() in it was given.
  void Sweep();

 private:
  struct Entry {
    std::shared_ptr<const Pod> pod;  // held: another pod must not get its address
    uint64_t used = 0;
    std::optional<KindIndex> kind = {};
    bool known = false;    // `shape` is, for `matters` as it is
    bool matters = false;  // the kind does
    ShapeIndex shape = 0;
  };
  void FindEntries(std::span<const Unit> units);
  Entry* EntryOfThisRound(const Member& member);
  Entry* EntryOf(const Member& member);
  ShapeIndex ShapeOf(const Member& member, Entry* entry);

  NodeSpace* space_;

  uint64_t round_ = 1;
  bool is_under_way_ = false;  // the round: Learn() was called in it
  absl::node_hash_map<const Pod*, Entry> entries_;
  InStep<const Pod*, Entry> in_step_;
  std::vector<std::pair<const Member*, Entry*>> members_;  // while Learn() runs
  std::vector<ShapeIndex> learnt_;
};

}  // namespace outrigger::plan
