#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "outrigger/plan/planner.h"
#include "plan/nodes/domains.h"
#include "plan/nodes/node_space.h"
#include "plan/nodes/shape_table.h"
#include "plan/round/kept_places.h"
#include "plan/search/placer.h"
#include "plan/search/seats.h"

namespace outrigger::plan {

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
