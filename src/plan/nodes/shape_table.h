#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "outrigger/plan/unit.h"
#include "plan/nodes/node_space.h"

namespace outrigger::plan {

/// Remembers the shapes of pods from plan to plan, since to work one out costs more than to place
/// it. Not thread-safe.
class ShapeTable {
 public:
  explicit ShapeTable(NodeSpace* space) : space_(space) {}
  /// Makes the shapes of all members known: what one asks of others may change that of another.
  /// To be called before anything is placed.
  void Learn(std::span<const Unit> units);
  ShapeIndex Of(const Member& member);
  /// Forgets pods that were not asked for since the call before.
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
  NodeSpace* space_;
  Entry& EntryOf(const Member& member);

  uint64_t round_ = 0;
  absl::flat_hash_map<const Pod*, Entry> entries_;
};

}  // namespace outrigger::plan
