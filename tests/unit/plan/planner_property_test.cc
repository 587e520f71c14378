#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "planner_testing.h"

// What must be true of every plan, on small random clusters where all ways can be tried.

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

struct Size {
  int cpu;
  int memory;  // Gi
};

// A cluster and units in numbers, from which both the planner's input and the oracle's are made.
struct Case {
  struct NodeOf {
    Size free;
    int label;  // which of the two kinds of node
    int rack;
  };
  struct MemberOf {
    Size size;
    int wants_label;  // -1: takes any node
    bool leads;       // is of the role that has a minimum of its own
  };
  struct UnitOf {
    std::vector<MemberOf> members;
    int minimum;
    int leaders;  // so many of that role at least
    int priority;
    bool one_rack;
    bool apart;   // no two on one node
    Size in_all;  // so much must be free on all nodes together
  };
  std::vector<NodeOf> nodes;
  std::vector<UnitOf> units;
};

std::string TextOf(const Case& of) {
  std::string text;
  for (size_t i = 0; i < of.nodes.size(); ++i) {
    const auto& node = of.nodes[i];
    absl::StrAppend(&text, "n", i, ": cpu ", node.free.cpu, " memory ", node.free.memory, " kind ",
                    node.label, " rack r", node.rack, "\n");
  }
  for (const auto& unit : of.units) {
    absl::StrAppend(&text, "priority ", unit.priority, ", at least ", unit.minimum, " of them ",
                    unit.leaders, " leaders", unit.one_rack ? " in one rack" : "",
                    unit.apart ? " apart" : "", ", in all ", unit.in_all.cpu, "/",
                    unit.in_all.memory, ":");
    for (const auto& member : unit.members) {
      absl::StrAppend(&text, " ", member.size.cpu, "/", member.size.memory);
      if (member.wants_label >= 0) absl::StrAppend(&text, "@", member.wants_label);
      if (member.leads) text += "!";
    }
    text += "\n";
  }
  return text;
}

Node NodeFrom(const Case::NodeOf& node, size_t i) {
  return MakeNode(absl::StrCat("n", i))
      .Allocatable("cpu", absl::StrCat(node.free.cpu))
      .Allocatable("memory", absl::StrCat(node.free.memory, "Gi"))
      .Label("kind", absl::StrCat(node.label))
      .Label("rack", absl::StrCat("r", node.rack))
      .Label("kubernetes.io/hostname", absl::StrCat("n", i));
}

Pod MakePodApart(Pod pod, const std::string& unit) {
  PodAffinityTerm& term = pod.affinity.required_pod_anti.emplace_back();
  term.label_selector.emplace();
  term.label_selector->match_labels.Set("unit", unit);
  term.topology_key = "kubernetes.io/hostname";
  return pod;
}

Unit UnitFrom(const Case::UnitOf& of, size_t index) {
  MakeUnit unit(absl::StrCat("u", index));
  for (size_t i = 0; i < of.members.size(); ++i) {
    const Case::MemberOf& member = of.members[i];
    Pod pod = MakePod(absl::StrCat("u", index, "-", i))
                  .Requests({{"cpu", absl::StrCat(member.size.cpu)},
                             {"memory", absl::StrCat(member.size.memory, "Gi")}});
    const std::string name = absl::StrCat("u", index);
    pod.labels.Set("unit", name);
    if (of.apart) pod = MakePodApart(pod, name);
    if (member.wants_label >= 0) pod.node_selector.Set("kind", absl::StrCat(member.wants_label));
    unit.AddMember(pod);
    if (member.leads) unit.unit().members.back().role = "leader";
  }
  if (of.leaders > 0) unit.AddRole("leader", of.leaders);
  unit.Minimum(of.minimum).Priority(of.priority);
  if (of.one_rack) unit.Required({"rack"});
  unit.MinResources("cpu", absl::StrCat(of.in_all.cpu))
      .MinResources("memory", absl::StrCat(of.in_all.memory, "Gi"));
  return unit;
}

std::vector<Unit> UnitsOf(const Case& of) {
  std::vector<Unit> units;
  for (size_t i = 0; i < of.units.size(); ++i) units.push_back(UnitFrom(of.units[i], i));
  return units;
}

void Build(const Case& of, World* world) {
  for (size_t i = 0; i < of.nodes.size(); ++i) world->AddNode(NodeFrom(of.nodes[i], i));
}

Case AnyCase(size_t most_nodes, size_t most_units, size_t most_members) {
  const auto up_to = [](int from, int most) { return *rc::gen::inRange(from, most + 1); };
  Case made;
  made.nodes.resize(static_cast<size_t>(up_to(0, static_cast<int>(most_nodes))));
  for (auto& node : made.nodes) node = {{up_to(0, 6), up_to(0, 6)}, up_to(0, 1), up_to(0, 1)};
  made.units.resize(static_cast<size_t>(up_to(1, static_cast<int>(most_units))));
  for (auto& unit : made.units) {
    unit.members.resize(static_cast<size_t>(up_to(1, static_cast<int>(most_members))));
    const Size usual = {up_to(0, 3), up_to(0, 3)};
    for (auto& member : unit.members) {
      member.size = up_to(0, 2) > 0 ? usual : Size{up_to(0, 4), up_to(0, 4)};
      member.wants_label = up_to(0, 4) == 0 ? up_to(0, 1) : -1;
      member.leads = up_to(0, 2) == 0;
    }
    const auto leaders = std::count_if(unit.members.begin(), unit.members.end(),
                                       [](const auto& member) { return member.leads; });
    unit.leaders = up_to(0, 1) == 0 ? 0 : up_to(0, static_cast<int>(leaders));
    unit.minimum = up_to(1, static_cast<int>(unit.members.size()));
    unit.one_rack = up_to(0, 3) == 0;
    unit.apart = up_to(0, 3) == 0;
    unit.in_all = up_to(0, 3) == 0 ? Size{up_to(0, 20), up_to(0, 20)} : Size{0, 0};
    unit.priority = up_to(0, 2);
  }
  std::stable_sort(made.units.begin(), made.units.end(),
                   [](const auto& a, const auto& b) { return a.priority > b.priority; });
  return made;
}

// Whether any subset of at least `minimum` members can be placed, by trying every way.
class BruteForce {
 public:
  BruteForce(const Case& of, const Case::UnitOf& unit, std::vector<Size> free)
      : case_(of), unit_(unit), free_(std::move(free)) {}

  bool Fits() {
    Size in_all{0, 0};
    for (const Size& free : free_) {
      in_all = {in_all.cpu + std::max(0, free.cpu), in_all.memory + std::max(0, free.memory)};
    }
    if (in_all.cpu < unit_.in_all.cpu || in_all.memory < unit_.in_all.memory) return false;
    if (!unit_.one_rack) return From(0, 0, 0, -1);
    return From(0, 0, 0, 0) || From(0, 0, 0, 1);
  }

 private:
  bool From(size_t member, int placed, int leaders, int rack) {
    if (placed >= unit_.minimum && leaders >= unit_.leaders) return true;
    if (member == unit_.members.size()) return false;
    const auto& [size, wants_label, leads] = unit_.members[member];
    for (size_t i = 0; i < free_.size(); ++i) {
      const auto& node = case_.nodes[i];
      if (wants_label >= 0 && node.label != wants_label) continue;
      if (rack >= 0 && node.rack != rack) continue;
      if (free_[i].cpu < size.cpu || free_[i].memory < size.memory) continue;
      if (unit_.apart && taken_.contains(i)) continue;
      free_[i] = {free_[i].cpu - size.cpu, free_[i].memory - size.memory};
      taken_.insert(i);
      const bool fits = From(member + 1, placed + 1, leaders + (leads ? 1 : 0), rack);
      taken_.erase(taken_.find(i));
      free_[i] = {free_[i].cpu + size.cpu, free_[i].memory + size.memory};
      if (fits) return true;
    }
    return From(member + 1, placed, leaders, rack);
  }

  const Case& case_;
  const Case::UnitOf& unit_;
  std::vector<Size> free_;
  std::multiset<size_t> taken_;
};

std::vector<Size> FreeOf(const Case& of) {
  std::vector<Size> free;
  for (const auto& node : of.nodes) free.push_back(node.free);
  return free;
}

// Takes what a plan gives to a unit; false: it is not there, or not allowed.
bool Apply(const Case& of, const Case::UnitOf& unit, const UnitPlan& plan,
           std::vector<Size>* free) {
  int rack = -1;
  std::set<std::string> taken;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    if (plan.nodes[i].empty()) continue;
    if (!taken.insert(plan.nodes[i]).second && unit.apart) return false;
    const size_t node = std::stoul(plan.nodes[i].substr(1));
    const auto& [size, wants_label, leads] = unit.members[i];
    if (wants_label >= 0 && of.nodes[node].label != wants_label) return false;
    if (unit.one_rack && rack >= 0 && of.nodes[node].rack != rack) return false;
    rack = of.nodes[node].rack;
    (*free)[node] = {(*free)[node].cpu - size.cpu, (*free)[node].memory - size.memory};
    // A member that asks for nothing of a resource fits even where that is overdrawn.
    if (size.cpu > 0 && (*free)[node].cpu < 0) return false;
    if (size.memory > 0 && (*free)[node].memory < 0) return false;
  }
  return true;
}

int64_t PlacedOf(const UnitPlan& plan) {
  return std::count_if(plan.nodes.begin(), plan.nodes.end(),
                       [](const std::string& node) { return !node.empty(); });
}

int64_t LeadersOf(const Case::UnitOf& unit, const UnitPlan& plan) {
  int64_t leaders = 0;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    leaders += unit.members[i].leads && !plan.nodes[i].empty() ? 1 : 0;
  }
  return leaders;
}

RC_GTEST_PROP(EveryPlan, FitsTheNodesAndIsWholeOrNothing, ()) {
  const Case of = AnyCase(8, 6, 8);
  World world;
  Build(of, &world);
  const Plan plan = world.PlanFresh(UnitsOf(of));
  std::vector<Size> free = FreeOf(of);
  RC_ASSERT(plan.units.size() == of.units.size());
  for (size_t i = 0; i < plan.units.size(); ++i) {
    const int64_t placed = PlacedOf(plan.units[i]);
    RC_ASSERT((plan.units[i].fits ? placed >= of.units[i].minimum : placed == 0));
    RC_ASSERT((placed == 0 || LeadersOf(of.units[i], plan.units[i]) >= of.units[i].leaders));
    RC_ASSERT(plan.units[i].fits == (plan.units[i].cause.kind == Cause::Class::kNone));
    RC_ASSERT(Apply(of, of.units[i], plan.units[i], &free));
  }
}

RC_GTEST_PROP(EveryPlan, OfOneUnitFindsAWayIfThereIsOne, ()) {
  const Case of = AnyCase(5, 1, 6);
  World world;
  Build(of, &world);
  const UnitPlan plan = world.PlanFresh(UnitsOf(of)).units[0];
  RC_ASSERT(plan.fits == BruteForce(of, of.units[0], FreeOf(of)).Fits());
}

RC_GTEST_PROP(EveryPlan, LetsAUnitWaitOnlyIfThoseBeforeItLeaveTooLittle, ()) {
  const Case of = AnyCase(4, 5, 4);
  World world;
  Build(of, &world);
  const Plan plan = world.PlanFresh(UnitsOf(of));
  std::vector<Size> free = FreeOf(of);
  for (size_t i = 0; i < plan.units.size(); ++i) {
    RC_ASSERT((plan.units[i].fits || !BruteForce(of, of.units[i], free).Fits()));
    RC_ASSERT(Apply(of, of.units[i], plan.units[i], &free));
    // Members over the minimum of equals come later; leave those cases to the tests of that.
    if (plan.units[i].fits && PlacedOf(plan.units[i]) > of.units[i].minimum) break;
  }
}

RC_GTEST_PROP(EveryPlan, OfAUnitDoesNotDependOnThoseBehindIt, ()) {
  const Case of = AnyCase(6, 6, 5);
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
  const Case of = AnyCase(8, 6, 6);
  World world;
  Build(of, &world);
  World other;
  std::vector<size_t> order(of.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::reverse(order.begin(), order.end());
  const auto turn = *rc::gen::inRange<size_t>(0, order.size() + 1);
  std::rotate(order.begin(), order.begin() + static_cast<long>(turn), order.end());
  for (const size_t i : order) other.AddNode(NodeFrom(of.nodes[i], i));
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
  Case of = AnyCase(6, 5, 5);
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
    if (what == 1) world.AddNode(NodeFrom({{*rc::gen::inRange(0, 7), 6}, 0, 1}, node));
    if (what == 2) world.Bind(MakePod(absl::StrCat("p", node)).Requests({{"cpu", "1"}}), name);
    if (what == 3) world.cluster().RemovePod("default", absl::StrCat("p", node));
    if (what == 4) units = UnitsOf(AnyCase(1, 5, 5));
    if (what == 5) {
      for (Unit& unit : units) {
        for (Member& member : unit.members) member.leased = name;
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

// What a plan has given is a lease in the next one.
void Lease(const Plan& plan, std::vector<Unit>* units) {
  for (size_t i = 0; i < units->size(); ++i) {
    std::vector<Member>& members = (*units)[i].members;
    for (size_t m = 0; m < members.size() && plan.units[i].fits; ++m) {
      members[m].leased = plan.units[i].nodes[m];
    }
  }
}

// Gangs keep their places when one that comes before them can do without. (What is over a minimum
// goes to who comes first.)
RC_GTEST_PROP(EveryPlan, TakesNoPlaceOfAGangThatItsUnitsCanDoWithout, ()) {
  Case of = AnyCase(6, 4, 4);
  for (auto& unit : of.units) unit.minimum = static_cast<int>(unit.members.size());
  World world;
  Build(of, &world);
  std::vector<Unit> units = UnitsOf(of);
  const Plan before = world.PlanFresh(units);
  Lease(before, &units);
  Case::UnitOf late = AnyCase(0, 1, 3).units[0];
  late.minimum = static_cast<int>(late.members.size());
  late.priority = -1;
  units.push_back(UnitFrom(late, units.size()));
  const UnitPlan last = world.PlanFresh(units).units.back();
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
  const Case of = AnyCase(5, 4, 5);
  World world;
  Build(of, &world);
  std::vector<Unit> units = UnitsOf(of);
  // The last has places from a time when it was alone.
  std::vector<Unit> alone = {units.back()};
  if (*rc::gen::inRange(0, 2) == 0) Lease(world.PlanFresh(alone), &alone);
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
