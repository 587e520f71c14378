#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gang/plan/nodes/node_space.h"
#include "gang/plan/nodes/shape.h"
#include "gang/plan/unit.h"

namespace outrigger::plan {

/// A member that wants a place, as the search sees it.
struct Seat {
  ShapeIndex shape = 0;
  int role = -1;  // index of Unit::roles; -1: of none that has a minimum
  Slot slot = kNoSlot;
  Slot waits_on = kNoSlot;
  Slot reserved = kNoSlot;
  std::vector<Slot> refused;
  /// By slot, with 1 for a refused one; null: none. Shared by members of a spec.
  std::shared_ptr<const std::vector<uint8_t>> refused_to_spec;

  bool IsRefused(Slot at) const {
    if (refused_to_spec != nullptr && at < refused_to_spec->size() && (*refused_to_spec)[at] != 0) {
      return true;
    }
    return std::find(refused.begin(), refused.end(), at) != refused.end();
  }
  bool HasRefusals() const { return !refused.empty() || refused_to_spec != nullptr; }
};

/// What a unit asks for, in numbers.
struct Seats {
  std::vector<Seat> seats;         // index-aligned with Unit::members
  std::vector<uint32_t> order;     // of placing: what is hard to place first
  std::vector<ShapeIndex> shapes;  // distinct
  int64_t need = 0;                // so many must be placed
  std::vector<int64_t> role_need;
  /// What must be free in the cluster before any is placed, in the order of the resources' names.
  std::vector<Amount> in_all;
  /// The member whose node is no more, where it waits to be bound; or nothing.
  const Member* lost_waiter = nullptr;
  bool has_refusals = false;
  bool has_pairs = false;  // where some may go depends on where other pods are
  /// The outcome depends on the shapes, `need` and the topology alone: another unit of which the
  /// same is true fails where this one has failed.
  bool plain = true;
  /// Equal for units of which all but `need` is equal, if both are plain.
  std::string likeness;
};

/// Works out the seats of a unit. `shapes`: index-aligned with its members.
Seats SeatsOf(const Unit& unit, NodeSpace* space, std::span<const ShapeIndex> shapes);

/// Whether members of the unit that go to `slots` join those that have a place already, being bound
/// or waiting for it: none of these has it elsewhere.
bool JoinPlaced(const NodeSpace& space, const Unit& unit, const Seats& seats,
                const std::vector<Slot>& slots);

}  // namespace outrigger::plan
