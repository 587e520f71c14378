#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/nodes/node_space.h"
#include "plan/search/attempt.h"
#include "plan/search/seats.h"

namespace outrigger::plan {

/// Backtracking over all ways to place enough members of one unit on some nodes. Members of a
/// shape are interchangeable, and so are nodes on which the same is free: of what differs only by
/// an exchange one way is tried. Not thread-safe.
class DeepSearch {
 public:
  /// Seats that have a place keep it. All must outlive the search.
  DeepSearch(NodeSpace* space, const std::vector<Slot>& slots, Seats* seats, Effort* effort);
  /// True: Seat::slot says how. False: nothing was changed; there is no way, unless the effort is
  /// exhausted.
  bool Run();

 private:
  // Interchangeable members that have no place.
  struct SeatGroup {
    ShapeIndex shape;
    int role;
    std::vector<Seat*> seats;
  };

  void Collect();
  bool PlaceGroup(size_t kind);
  bool PlaceNext(size_t kind, size_t placed, size_t from);
  bool LeaveRest(size_t kind, size_t placed);
  int64_t MayLeave(const SeatGroup& kind) const;
  bool IsLikeOneBefore(size_t at, std::vector<size_t>* tried) const;

  NodeSpace* const space_;
  const std::vector<Slot>& slots_;
  Seats* const seats_;
  Effort* const effort_;
  std::vector<SeatGroup> groups_;
  int64_t spare_ = 0;                // members that may stay without a place
  std::vector<int64_t> role_spare_;  // of each role
};

}  // namespace outrigger::plan
