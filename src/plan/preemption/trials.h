#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "outrigger/plan/planner.h"
#include "plan/round/workshop.h"
#include "plan/search/seats.h"

namespace outrigger::plan {

/// Plans of one input without some pods, to see where one unit's members would go. Not thread-safe.
///
/// Most units need no second look. Take a unit of one shape that goes by room alone, waits in the
/// plan of the input as it is (the *base*), and is before the one that is asked about. With a
/// node's pods gone there is more room on that node and nowhere else, as long as all other units
/// keep their places of the base. So the unit fits now only if a member fits on that node; and of
/// equal units only as many fit as members do there, the first ones. All others are left out of the
/// trial: they fail in it, and what fails leaves no trace. Should another unit lose or change its
/// place in the trial, the room elsewhere is not the same, and all units are planned.
class Trials {
 public:
  /// Makes the nodes those of a snapshot; nothing is placed on them then.
  using Follow = std::function<Workshop(const std::shared_ptr<const cluster::Snapshot>&)>;

  /// All must outlive it. `index`: of the unit that is asked about.
  Trials(Follow follow, std::shared_ptr<const cluster::Snapshot> snapshot,
         std::span<const Unit> units, size_t index, const PlanOptions& options);

  /// The plan of the input as it is.
  const Plan& base() const { return base_; }
  /// The node of a member of the unit once `eviction` is done; empty: none, or the node or a pod on
  /// it is not known.
  std::string NodeAfter(const Eviction& eviction, size_t member);
  /// Units that were planned for all answers, without the base.
  size_t planned() const { return planned_; }

 private:
  struct Alike {
    ShapeIndex shape;
    std::vector<size_t> units;  // in order
  };

  bool MayLeaveOut(const Unit& unit, const Seats& seats) const;
  std::vector<size_t> Chosen(const NodeSpace& space, Slot slot) const;
  std::vector<Unit> Copies(const std::vector<size_t>& chosen, const std::string& node) const;
  bool AllElseIsTheSame(const std::vector<size_t>& chosen, const Plan& plan) const;
  Plan Run(const Workshop& shop, std::span<const Unit> units);

  const Follow follow_;
  const std::shared_ptr<const cluster::Snapshot> snapshot_;
  const std::span<const Unit> units_;
  const size_t index_;
  const PlanOptions& options_;
  uint64_t generation_ = 0;  // of the workshop of the base: shapes are its
  Plan base_;
  bool all_matter_ = false;     // no unit may be left out
  std::vector<size_t> always_;  // units that are in every trial, in order
  std::map<std::pair<std::string, int64_t>, Alike> waiting_;  // by likeness and need
  size_t planned_ = 0;
};

}  // namespace outrigger::plan
