#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "outrigger/plan/unit.h"
#include "plan/nodes/node_space.h"
#include "plan/nodes/shape_table.h"

namespace outrigger::plan {

/// The places that gangs have from the plan before. While they are kept, units before these gangs
/// find other ones: kube-scheduler is at work with them, and a gang that loses one must begin anew.
/// Not thread-safe.
class KeptPlaces {
 public:
  /// Both must outlive it.
  KeptPlaces(NodeSpace* space, ShapeTable* shapes) : space_(space), shapes_(shapes) {}

  /// To be called once, before anything is placed. Nothing is kept yet.
  void Learn(std::span<const Unit> units);

  /// Keeps the places of units[next] and those behind it, as far as they are free, and of no other.
  /// True if places have come free by that.
  bool KeepFrom(size_t next);
  /// Keeps nothing until KeepFrom(). True if places have come free.
  bool Release();

 private:
  struct Place {
    ShapeIndex shape;
    Slot slot;
  };
  struct Keeper {
    size_t unit;
    std::vector<Place> places;
    std::vector<Place> kept;
  };
  bool GiveUp(Keeper* keeper);

  NodeSpace* const space_;
  ShapeTable* const shapes_;
  std::vector<Keeper> keepers_;  // in the order of units
  size_t first_ = 0;             // of keepers_, behind those that had their turn
  bool keeps_ = false;
};

/// Whether the unit has places that are kept.
bool HasKeptPlaces(const Unit& unit);

}  // namespace outrigger::plan
