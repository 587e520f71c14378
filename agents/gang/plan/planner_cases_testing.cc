#include "planner_cases_testing.h"

#include <rapidcheck.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

constexpr int kRacks = 2;

int AnyUpTo(int from, int most) {
  return *rc::gen::inRange(from, most + 1);
}

std::string AmountText(const CaseSize& amount) {
  return absl::StrCat(amount.cpu, "/", amount.memory);
}

bool IsWithin(const CaseSize& wanted, const CaseSize& free) {
  return wanted.cpu <= free.cpu && wanted.memory <= free.memory;
}

// A pod of a unit, on its way or bound.
Pod PodFrom(const PlanCase::UnitOf& unit, size_t index, const std::string& suffix,
            const CaseSize& size) {
  const std::string name = absl::StrCat("u", index);
  Pod pod =
      MakePod(absl::StrCat(name, "-", suffix))
          .Requests({{"cpu", absl::StrCat(size.cpu)}, {"memory", absl::StrCat(size.memory, "Gi")}});
  pod.labels.Set("unit", name);
  if (!unit.apart) return pod;
  PodAffinityTerm& term = pod.affinity.required_pod_anti.emplace_back();
  term.label_selector.emplace();
  term.label_selector->match_labels.Set("unit", name);
  term.topology_key = "kubernetes.io/hostname";
  return pod;
}

// Some are bound, where the unit's wishes let them be.
std::vector<PlanCase::BoundOf> AnyBound(const PlanCase& of, const PlanCase::UnitOf& unit) {
  std::vector<PlanCase::BoundOf> bound;
  if (of.nodes.empty() || AnyUpTo(0, 3) != 0) return bound;
  const int count = AnyUpTo(1, 2);
  for (int i = 0; i < count; ++i) {
    const auto node = static_cast<size_t>(AnyUpTo(0, static_cast<int>(of.nodes.size()) - 1));
    const auto collides = [&](const PlanCase::BoundOf& other) {
      return (unit.apart && other.node == node) ||
             (unit.one_rack && of.nodes[other.node].rack != of.nodes[node].rack);
    };
    if (std::any_of(bound.begin(), bound.end(), collides)) continue;
    bound.push_back({{AnyUpTo(0, 2), AnyUpTo(0, 2)}, node, AnyUpTo(0, 2) == 0});
  }
  return bound;
}

PlanCase::UnitOf AnyUnit(const PlanCase& of, size_t most_members) {
  PlanCase::UnitOf unit;
  unit.members.resize(static_cast<size_t>(AnyUpTo(1, static_cast<int>(most_members))));
  const CaseSize usual = {AnyUpTo(0, 3), AnyUpTo(0, 3)};
  for (auto& member : unit.members) {
    member.size = AnyUpTo(0, 2) > 0 ? usual : CaseSize{AnyUpTo(0, 4), AnyUpTo(0, 4)};
    member.wants_label = AnyUpTo(0, 4) == 0 ? AnyUpTo(0, 1) : -1;
    member.leads = AnyUpTo(0, 2) == 0;
  }
  unit.one_rack = AnyUpTo(0, 3) == 0;
  unit.prefers_rack = AnyUpTo(0, 3) == 0;
  unit.apart = AnyUpTo(0, 3) == 0;
  unit.bound = AnyBound(of, unit);
  const auto leads = [](const auto& member) { return member.leads; };
  const auto leaders = std::count_if(unit.members.begin(), unit.members.end(), leads) +
                       std::count_if(unit.bound.begin(), unit.bound.end(), leads);
  unit.leaders = AnyUpTo(0, 1) == 0 ? 0 : AnyUpTo(0, static_cast<int>(leaders));
  unit.minimum = AnyUpTo(1, SizeOf(unit));
  unit.in_all = AnyUpTo(0, 3) == 0 ? CaseSize{AnyUpTo(0, 20), AnyUpTo(0, 20)} : CaseSize{0, 0};
  unit.priority = AnyUpTo(0, 2);
  return unit;
}

}  // namespace

PlanCase AnyCase(size_t most_nodes, size_t most_units, size_t most_members) {
  PlanCase made;
  made.nodes.resize(static_cast<size_t>(AnyUpTo(0, static_cast<int>(most_nodes))));
  for (auto& node : made.nodes) {
    node = {{AnyUpTo(0, 6), AnyUpTo(0, 6)}, AnyUpTo(0, 1), AnyUpTo(0, kRacks - 1)};
  }
  made.units.resize(static_cast<size_t>(AnyUpTo(1, static_cast<int>(most_units))));
  for (auto& unit : made.units) unit = AnyUnit(made, most_members);
  std::stable_sort(made.units.begin(), made.units.end(),
                   [](const auto& a, const auto& b) { return a.priority > b.priority; });
  return made;
}

std::string TextOf(const PlanCase& of) {
  std::string text;
  for (size_t i = 0; i < of.nodes.size(); ++i) {
    const auto& node = of.nodes[i];
    absl::StrAppend(&text, "n", i, ": ", AmountText(node.free), " kind ", node.label, " rack r",
                    node.rack, "\n");
  }
  for (const auto& unit : of.units) {
    absl::StrAppend(&text, "priority ", unit.priority, ", at least ", unit.minimum, " of them ",
                    unit.leaders, " leaders", unit.one_rack ? " in one rack" : "",
                    unit.prefers_rack ? " in one rack if possible" : "", unit.apart ? " apart" : "",
                    ", in all ", AmountText(unit.in_all), ":");
    for (const auto& bound : unit.bound) {
      absl::StrAppend(&text, " bound on n", bound.node, bound.leads ? "!" : "");
    }
    for (const auto& member : unit.members) {
      absl::StrAppend(&text, " ", AmountText(member.size));
      if (member.wants_label >= 0) absl::StrAppend(&text, "@", member.wants_label);
      if (member.leads) text += "!";
    }
    text += "\n";
  }
  return text;
}

Node NodeFrom(const PlanCase& of, size_t index) {
  const PlanCase::NodeOf& node = of.nodes[index];
  CaseSize all = node.free;
  for (const auto& unit : of.units) {
    for (const auto& bound : unit.bound) {
      if (bound.node == index) {
        all = {all.cpu + bound.size.cpu, all.memory + bound.size.memory};
      }
    }
  }
  return MakeNode(absl::StrCat("n", index))
      .Allocatable("cpu", absl::StrCat(all.cpu))
      .Allocatable("memory", absl::StrCat(all.memory, "Gi"))
      .Label("kind", absl::StrCat(node.label))
      .Label("rack", absl::StrCat("r", node.rack))
      .Label("kubernetes.io/hostname", absl::StrCat("n", index));
}

Unit UnitFrom(const PlanCase& of, size_t index) {
  const PlanCase::UnitOf& from = of.units[index];
  MakeUnit unit(absl::StrCat("u", index));
  for (size_t i = 0; i < from.members.size(); ++i) {
    const PlanCase::MemberOf& member = from.members[i];
    Pod pod = PodFrom(from, index, absl::StrCat(i), member.size);
    if (member.wants_label >= 0) pod.node_selector.Set("kind", absl::StrCat(member.wants_label));
    unit.AddMember(pod);
    if (member.leads) unit.unit().members.back().role = "leader";
  }
  unit.unit().bound = static_cast<int64_t>(from.bound.size());
  for (const auto& bound : from.bound) {
    unit.unit().topology.bound_on.push_back(absl::StrCat("n", bound.node));
  }
  const auto leaders = std::count_if(from.bound.begin(), from.bound.end(),
                                     [](const auto& bound) { return bound.leads; });
  if (from.leaders > 0) unit.AddRole("leader", from.leaders, leaders);
  unit.Minimum(from.minimum).Priority(from.priority);
  if (from.one_rack) unit.Required({"rack"});
  if (from.prefers_rack) unit.Preferred({"rack"});
  unit.MinResources("cpu", absl::StrCat(from.in_all.cpu))
      .MinResources("memory", absl::StrCat(from.in_all.memory, "Gi"));
  return unit;
}

std::vector<Unit> UnitsOf(const PlanCase& of) {
  std::vector<Unit> units;
  for (size_t i = 0; i < of.units.size(); ++i) units.push_back(UnitFrom(of, i));
  return units;
}

void BindAll(const PlanCase& of, World* world) {
  for (size_t i = 0; i < of.units.size(); ++i) {
    for (size_t b = 0; b < of.units[i].bound.size(); ++b) {
      const PlanCase::BoundOf& bound = of.units[i].bound[b];
      world->Bind(PodFrom(of.units[i], i, absl::StrCat("bound-", b), bound.size),
                  absl::StrCat("n", bound.node));
    }
  }
}

void Build(const PlanCase& of, World* world) {
  for (size_t i = 0; i < of.nodes.size(); ++i) world->AddNode(NodeFrom(of, i));
  BindAll(of, world);
}

std::vector<CaseSize> FreeOf(const PlanCase& of) {
  std::vector<CaseSize> free;
  for (const auto& node : of.nodes) free.push_back(node.free);
  return free;
}

bool Apply(const PlanCase& of, const PlanCase::UnitOf& unit, const UnitPlan& plan,
           std::vector<CaseSize>* free) {
  int rack = -1;
  std::set<size_t> taken;
  for (const auto& bound : unit.bound) {
    rack = of.nodes[bound.node].rack;
    taken.insert(bound.node);
  }
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    if (plan.nodes[i].empty()) continue;
    const size_t node = std::stoul(plan.nodes[i].substr(1));
    if (!taken.insert(node).second && unit.apart) return false;
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

int PlacedOf(const PlanCase::UnitOf& unit, const UnitPlan& plan) {
  return static_cast<int>(unit.bound.size()) +
         static_cast<int>(std::count_if(plan.nodes.begin(), plan.nodes.end(),
                                        [](const std::string& node) { return !node.empty(); }));
}

int LeadersOf(const PlanCase::UnitOf& unit, const UnitPlan& plan) {
  int leaders = 0;
  for (const auto& bound : unit.bound) leaders += bound.leads ? 1 : 0;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    leaders += unit.members[i].leads && !plan.nodes[i].empty() ? 1 : 0;
  }
  return leaders;
}

int SizeOf(const PlanCase::UnitOf& unit) {
  return static_cast<int>(unit.members.size() + unit.bound.size());
}

BruteForce::BruteForce(const PlanCase& of, const PlanCase::UnitOf& unit, std::vector<CaseSize> free)
    : case_(of), unit_(unit), free_(std::move(free)) {
  for (const auto& bound : unit.bound) taken_.insert(bound.node);
}

// For who has begun it is not asked.
bool BruteForce::HasInAll() const {
  if (!unit_.bound.empty()) return true;
  CaseSize in_all{0, 0};
  for (const CaseSize& free : free_) {
    in_all = {in_all.cpu + std::max(0, free.cpu), in_all.memory + std::max(0, free.memory)};
  }
  return IsWithin(unit_.in_all, in_all);
}

bool BruteForce::InRack(int rack) {
  const auto is_elsewhere = [&](const auto& bound) {
    return rack >= 0 && case_.nodes[bound.node].rack != rack;
  };
  if (std::any_of(unit_.bound.begin(), unit_.bound.end(), is_elsewhere)) return false;
  int leaders = 0;
  for (const auto& bound : unit_.bound) leaders += bound.leads ? 1 : 0;
  return From(0, static_cast<int>(unit_.bound.size()), leaders, rack);
}

bool BruteForce::Fits() {
  if (unit_.one_rack) return FitsOneRack();
  return HasInAll() && InRack(-1);
}

bool BruteForce::FitsOneRack() {
  if (!HasInAll()) return false;
  for (int rack = 0; rack < kRacks; ++rack) {
    if (InRack(rack)) return true;
  }
  return false;
}

bool BruteForce::From(size_t member, int placed, int leaders, int rack) {
  if (placed >= unit_.minimum && leaders >= unit_.leaders) return true;
  if (member == unit_.members.size()) return false;
  const auto& [size, wants_label, leads] = unit_.members[member];
  for (size_t i = 0; i < free_.size(); ++i) {
    const auto& node = case_.nodes[i];
    if (wants_label >= 0 && node.label != wants_label) continue;
    if (rack >= 0 && node.rack != rack) continue;
    if (!IsWithin(size, free_[i])) continue;
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

}  // namespace outrigger::plan
