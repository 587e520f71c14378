#pragma once

#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "outrigger/plan/unit.h"
#include "plan/node_space.h"

namespace outrigger::plan {

/// Remembers the shapes of pods from plan to plan, since to work one out costs more than to place
/// it. Not thread-safe.
class ShapeTable {
 public:
  explicit ShapeTable(NodeSpace* space) : space_(space) {}
  ShapeIndex Of(const Member& member);
  /// Forgets pods that were not asked for since the call before; returns how many are left.
  size_t Sweep();

 private:
  struct Entry {
    std::shared_ptr<const Pod> pod;  // held: another pod must not get its address
    ShapeIndex shape = 0;
    uint64_t used = 0;
  };
  NodeSpace* space_;
  uint64_t round_ = 0;
  absl::flat_hash_map<const Pod*, Entry> entries_;
};

}  // namespace outrigger::plan
