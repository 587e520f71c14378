#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gang/plan/nodes/node_space.h"
#include "gang/plan/search/ground.h"
#include "gang/plan/search/seats.h"

namespace outrigger::plan {

/// How much searching is left to a plan, in looks at a node. Counted, not timed: the same input
/// gives the same plan on every machine.
struct Effort {
  int64_t looks = 0;
  bool exhausted = false;
};

/// Tries to place the members of one unit on a ground, and takes back what it did. What it has
/// placed is in Seat::slot. Not thread-safe.
class Attempt {
 public:
  /// All must outlive it.
  Attempt(NodeSpace* space, Ground* ground, Seats* seats);

  /// Places members that wait at their nodes, then, if `keep_reservations`, those with a
  /// reservation there, then the others in `order` on the first node that takes them, until the
  /// minimum is reached. True: it is.
  bool Greedy(bool keep_reservations, const std::vector<uint32_t>& order);
  /// Searches every way to reach the minimum, as far as `effort` lasts; finds one if there is one
  /// and effort is not exhausted.
  bool Deep(Effort* effort);
  /// Places members that have no place yet, where their reservations were or elsewhere, as far as
  /// there is room.
  void Fill();
  /// Places those of them that have reservations there, as far as there is room.
  void KeepReservations();
  /// Takes everything back.
  void Undo();

 private:
  void OpenFronts();
  bool PlaceWaiters();
  bool PlaceAtReservation(Seat* seat);
  bool Place(Seat* seat);
  void Put(Seat* seat, Slot slot);
  void CountOpen();
  bool Enough() const;

  NodeSpace* const space_;
  Ground* const ground_;
  Seats* const seats_;
  std::vector<std::pair<Ground::Front*, size_t>> fronts_;  // and where they were
  int64_t open_;                                           // to be placed until there are enough
  std::vector<int64_t> role_open_;
};

}  // namespace outrigger::plan
