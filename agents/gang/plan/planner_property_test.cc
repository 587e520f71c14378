#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "planner_cases_testing.h"

// What must be true of every plan, on small random clusters where all ways can be tried.

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakePod;

RC_GTEST_PROP(EveryPlan, FitsTheNodesAndIsWholeOrNothing, ()) {
  const PlanCase of = AnyCase(8, 6, 8);
  World world;
  Build(of, &world);
  const Plan plan = world.PlanFresh(UnitsOf(of));
  std::vector<CaseSize> free = FreeOf(of);
  RC_ASSERT(plan.units.size() == of.units.size());
  for (size_t i = 0; i < plan.units.size(); ++i) {
    const int placed = PlacedOf(of.units[i], plan.units[i]);
    const int bound = static_cast<int>(of.units[i].bound.size());
    RC_ASSERT((plan.units[i].fits ? placed >= of.units[i].minimum : placed == bound));
    RC_ASSERT((placed == bound || LeadersOf(of.units[i], plan.units[i]) >= of.units[i].leaders));
    RC_ASSERT(plan.units[i].fits == (plan.units[i].cause.kind == Cause::Class::kNone));
    RC_ASSERT(Apply(of, of.units[i], plan.units[i], &free));
  }
}

RC_GTEST_PROP(EveryPlan, OfOneUnitFindsAWayIfThereIsOne, ()) {
  const PlanCase of = AnyCase(5, 1, 6);
  World world;
  Build(of, &world);
  const UnitPlan plan = world.PlanFresh(UnitsOf(of)).units[0];
  RC_ASSERT(plan.fits == BruteForce(of, of.units[0], FreeOf(of)).Fits());
}

RC_GTEST_PROP(EveryPlan, OfOneUnitThatPrefersARackKeepsToOneIfThatIsPossible, ()) {
  PlanCase of = AnyCase(5, 1, 6);
  PlanCase::UnitOf& unit = of.units[0];
  unit.prefers_rack = true;
  unit.minimum = SizeOf(unit);
  World world;
  Build(of, &world);
  if (!BruteForce(of, unit, FreeOf(of)).FitsOneRack()) return;
  std::set<int> racks;
  for (const auto& bound : unit.bound) racks.insert(of.nodes[bound.node].rack);
  const UnitPlan plan = world.PlanFresh(UnitsOf(of)).units[0];
  RC_LOG() << TextOf(of) << TextOf(plan) << "\n";
  RC_ASSERT(plan.fits);
  for (const std::string& node : plan.nodes) {
    racks.insert(of.nodes[std::stoul(node.substr(1))].rack);
  }
  RC_ASSERT(racks.size() == 1U);
}

RC_GTEST_PROP(EveryPlan, LetsAUnitWaitOnlyIfThoseBeforeItLeaveTooLittle, ()) {
  const PlanCase of = AnyCase(4, 5, 4);
  World world;
  Build(of, &world);
  const Plan plan = world.PlanFresh(UnitsOf(of));
  std::vector<CaseSize> free = FreeOf(of);
  for (size_t i = 0; i < plan.units.size(); ++i) {
    RC_ASSERT((plan.units[i].fits || !BruteForce(of, of.units[i], free).Fits()));
    RC_ASSERT(Apply(of, of.units[i], plan.units[i], &free));
    // Members over the minimum of equals come later; leave those cases to the tests of that.
    if (plan.units[i].fits && PlacedOf(of.units[i], plan.units[i]) > of.units[i].minimum) break;
  }
}

RC_GTEST_PROP(EveryPlan, OfAUnitDoesNotDependOnThoseBehindIt, ()) {
  const PlanCase of = AnyCase(6, 6, 5);
  World world;
  Build(of, &world);
  const std::vector<Unit> units = UnitsOf(of);
  const Plan all = world.PlanFresh(units);
  // Equals share what is over the minimum, so what is cut off must be of a lower priority.
  size_t cut = static_cast<size_t>(*rc::gen::inRange<size_t>(1, units.size() + 1));
  while (cut < units.size() && of.units[cut].priority == of.units[cut - 1].priority) ++cut;
  const Plan few = world.PlanFresh({units.begin(), units.begin() + static_cast<long>(cut)});
  for (size_t i = 0; i < cut; ++i) RC_ASSERT(few.units[i].nodes == all.units[i].nodes);
}

RC_GTEST_PROP(EveryPlan, DoesNotDependOnTheOrderInWhichNodesCame, ()) {
  const PlanCase of = AnyCase(8, 6, 6);
  World world;
  Build(of, &world);
  World other;
  std::vector<size_t> order(of.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::reverse(order.begin(), order.end());
  const auto turn = *rc::gen::inRange<size_t>(0, order.size() + 1);
  std::rotate(order.begin(), order.begin() + static_cast<long>(turn), order.end());
  for (const size_t i : order) other.AddNode(NodeFrom(of, i));
  BindAll(of, &other);
  const Plan a = world.PlanFresh(UnitsOf(of));
  const Plan b = other.PlanFresh(UnitsOf(of));
  for (size_t i = 0; i < a.units.size(); ++i) {
    RC_ASSERT(a.units[i].nodes == b.units[i].nodes);
    RC_ASSERT(a.units[i].cause == b.units[i].cause);
  }
}

// What a planner remembers saves time and changes nothing: after each of a series of changes it
// plans as one that sees the cluster for the first time.
RC_GTEST_PROP(EveryPlan, IsTheSameWhateverWasPlannedBefore, ()) {
  PlanCase of = AnyCase(6, 5, 5);
  World world;
  Build(of, &world);
  Planner planner;
  std::vector<Unit> units = UnitsOf(of);
  const int changes = *rc::gen::inRange(1, 8);
  for (int change = 0; change < changes; ++change) {
    const size_t node = *rc::gen::inRange<size_t>(0, 7);
    const int what = *rc::gen::inRange(0, 6);
    const std::string name = absl::StrCat("n", node);
    if (what == 0) world.cluster().RemoveNode(name);
    if (what == 1) {
      PlanCase one;
      one.nodes.assign(node + 1, {{*rc::gen::inRange(0, 7), 6}, 0, 1});
      world.AddNode(NodeFrom(one, node));
    }
    if (what == 2) world.Bind(MakePod(absl::StrCat("p", node)).Requests({{"cpu", "1"}}), name);
    if (what == 3) world.cluster().RemovePod("default", absl::StrCat("p", node));
    if (what == 4) units = UnitsOf(AnyCase(1, 5, 5));
    if (what == 5) {
      for (Unit& unit : units) {
        for (Member& member : unit.members) member.reserved = name;
      }
    }
    const Plan again = planner.Run(world.Take(), units);
    const Plan fresh = world.PlanFresh(units);
    for (size_t i = 0; i < units.size(); ++i) {
      RC_LOG() << what << " unit " << i << ": " << TextOf(again.units[i]) << " fresh "
               << TextOf(fresh.units[i]) << "\n";
      RC_ASSERT(again.units[i].nodes == fresh.units[i].nodes);
      RC_ASSERT(again.units[i].cause == fresh.units[i].cause);
    }
    if (*rc::gen::inRange(0, 2) == 0) planner.Explain(world.Take(), units, 0);
  }
}

// What a plan has given is a reservation in the next one.
void Reserve(const Plan& plan, std::vector<Unit>* units) {
  for (size_t i = 0; i < units->size(); ++i) {
    std::vector<Member>& members = (*units)[i].members;
    for (size_t m = 0; m < members.size() && plan.units[i].fits; ++m) {
      members[m].reserved = plan.units[i].nodes[m];
    }
  }
}

// Gangs keep their places when one that comes before them can do without. (What is over a minimum
// goes to who comes first.)
RC_GTEST_PROP(EveryPlan, TakesNoPlaceOfAGangThatItsUnitsCanDoWithout, ()) {
  PlanCase of = AnyCase(6, 4, 4);
  for (auto& unit : of.units) unit.minimum = SizeOf(unit);
  World world;
  Build(of, &world);
  std::vector<Unit> units = UnitsOf(of);
  const Plan before = world.PlanFresh(units);
  Reserve(before, &units);
  of.units.emplace_back();
  units.emplace_back();
  UnitPlan last;
  // There is room for one in ten: with one try each too many cases would be left out.
  for (int tries = 0; tries < 10 && !last.fits; ++tries) {
    of.units.back() = AnyCase(0, 1, 3).units[0];
    of.units.back().minimum = SizeOf(of.units.back());
    of.units.back().priority = -1;
    units.back() = UnitFrom(of, of.units.size() - 1);
    last = world.PlanFresh(units).units.back();
  }
  RC_PRE(last.fits);
  units.back().rank.priority = 3;
  std::rotate(units.begin(), units.end() - 1, units.end());
  const Plan after = world.PlanFresh(units);
  RC_LOG() << TextOf(of) << TextOf(last) << " as the first: " << TextOf(after.units[0]) << "\n";
  RC_ASSERT(after.units[0].fits);
  for (size_t i = 0; i < before.units.size(); ++i) {
    RC_ASSERT(after.units[i + 1].nodes == before.units[i].nodes);
  }
}

// With exactly what the words name the unit fits; with one less it does not.
RC_GTEST_PROP(EveryShortfall, IsTrue, ()) {
  const PlanCase of = AnyCase(5, 4, 5);
  World world;
  Build(of, &world);
  std::vector<Unit> units = UnitsOf(of);
  // The last has places from a time when it was alone.
  std::vector<Unit> alone = {units.back()};
  if (*rc::gen::inRange(0, 2) == 0) Reserve(world.PlanFresh(alone), &alone);
  units.back() = alone[0];
  const Plan plan = world.PlanFresh(units);
  for (size_t i = 0; i < units.size(); ++i) {
    if (plan.units[i].fits) continue;
    const Shortfall shortfall = world.Explain(units, i);
    RC_LOG() << TextOf(of) << i << " waits: " << shortfall.text << "\n";
    RC_ASSERT(shortfall.cause == plan.units[i].cause);
    RC_ASSERT(!shortfall.nodes.empty());
    for (size_t less = 0; less <= shortfall.nodes.size(); ++less) {
      World helped;
      Build(of, &helped);
      for (size_t n = 0; n < shortfall.nodes.size(); ++n) {
        if (n != less) helped.AddNode(shortfall.nodes[n]);
      }
      const bool all = less == shortfall.nodes.size();
      RC_ASSERT(helped.PlanFresh(units).units[i].fits == all);
    }
  }
}

}  // namespace
}  // namespace outrigger::plan
