#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "gang/plan/nodes/domains.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/planner.h"
#include "gang/plan/search/placer.h"
#include "gang/plan/search/seats.h"
#include "gang/plan/unit.h"

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

/// One plan in the making. Not thread-safe.
class Round {
 public:
  /// All must outlive it; nothing may be placed on `space` yet.
  Round(NodeSpace* space, DomainTable* domains, ShapeTable* shapes, const PlanOptions& options);

  /// Calls `see` when units[index] has been found not to fit, with what is free at its turn.
  void Watch(size_t index, std::function<void(const Unit&, const Seats&)> see);
  /// Plans units, in order. To be called once.
  void Run(std::span<const Unit> units);

  Plan TakePlan() { return std::move(plan_); }

 private:
  struct Failure {
    int64_t need;
    Cause cause;
  };

  void PlanLevel(std::span<const Unit> units, size_t from, size_t to);
  /// Why a unit does not fit, if that is known without a look at the nodes, or null.
  const Cause* KnownToFail(const Unit& unit, size_t index,
                           std::span<const ShapeIndex> shapes) const;
  UnitPlan PlanUnit(const Unit& unit, size_t index, Seats* seats, Placer::Outcome* outcome);
  Cause KnownFailure(const Seats& seats) const;
  Placer::Outcome Place(const Unit& unit, size_t index, Seats* seats);
  Placer::Outcome TryPlace(const Unit& unit, Seats* seats);
  const Amount* ShortInAll(const Seats& seats);
  const Amount* SurelyShortInAll(const Seats& seats) const;
  struct Open {
    size_t index;  // of the units
    Seats seats;
    Placer::Outcome outcome;
  };
  void Fill(std::span<const Unit> units, size_t next, std::vector<Open>* open);
  void KeepFrom(size_t next);
  bool Release();
  void SomeCameFree();
  Cause InAllCause(const Amount* amount) const;
  Cause Fail(const Unit& unit, const Seats& seats, bool gave_up);
  /// True if nodes are to be kept for the unit while it does not fit.
  bool MayReserve(const Unit& unit) const;
  bool IsHopeless(const Seats& seats) const;
  void NoteHopeless(const Unit& unit, const Seats& seats);
  void Reserve(const Unit& unit, const Seats& seats, UnitPlan* plan);
  void Keep(const Unit& unit, const Seats& seats, UnitPlan* plan);
  void Write(const Seats& seats, UnitPlan* plan) const;

  NodeSpace* const space_;
  DomainTable* const domains_;
  ShapeTable* const shapes_;
  const PlanOptions& options_;
  Placer placer_;
  KeptPlaces kept_;
  size_t watched_ = ~size_t{0};
  std::function<void(const Unit&, const Seats&)> see_;
  // What is free in all, by column: no more than that. The second: even where nobody's place is
  // kept, so that it holds to the end of the plan.
  absl::flat_hash_map<size_t, int64_t> most_free_;
  absl::flat_hash_map<size_t, int64_t> most_ever_free_;
  absl::flat_hash_map<std::string, Failure> failures_;   // by Seats::likeness
  absl::flat_hash_map<ShapeIndex, Cause> failed_alone_;  // of pods of which it alone decides
  // Those for which no nodes would do, as failures_ and failed_alone_.
  absl::flat_hash_map<std::string, int64_t> hopeless_;
  absl::flat_hash_set<ShapeIndex> hopeless_alone_;
  size_t first_member_ = 0;  // of the next unit, in ShapeTable::learnt()
  Plan plan_;
};

}  // namespace outrigger::plan
