#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "planner_testing.h"

// Small random clusters and units in numbers, from which both the planner's input and the oracle's
// are made; and the oracle, which tries every way.

namespace outrigger::plan {

struct CaseSize {
  int cpu;
  int memory;  // Gi
};

struct PlanCase {
  struct NodeOf {
    CaseSize free;
    int label;  // which of the two kinds of node
    int rack;
  };
  struct MemberOf {
    CaseSize size;
    int wants_label;  // -1: takes any node
    bool leads;       // is of the role that has a minimum of its own
  };
  struct BoundOf {
    CaseSize size;  // beside what is free on the node
    size_t node;
    bool leads;
  };
  struct UnitOf {
    std::vector<MemberOf> members;
    std::vector<BoundOf> bound;
    int minimum;  // of members and bound ones together
    int leaders;  // so many of that role at least
    int priority;
    bool one_rack;
    bool prefers_rack;
    bool apart;       // no two on one node
    CaseSize in_all;  // so much must be free on all nodes together
  };
  std::vector<NodeOf> nodes;
  std::vector<UnitOf> units;  // in order
};

/// Up to so many of each; at least one unit of at least one member.
PlanCase AnyCase(size_t most_nodes, size_t most_units, size_t most_members);
std::string TextOf(const PlanCase& of);

/// The node of that number, with room for who is bound there beside what is free.
Node NodeFrom(const PlanCase& of, size_t index);
Unit UnitFrom(const PlanCase& of, size_t index);
std::vector<Unit> UnitsOf(const PlanCase& of);
/// Binds those of the units who are bound; their nodes are there.
void BindAll(const PlanCase& of, World* world);
/// All nodes, and who is bound on them.
void Build(const PlanCase& of, World* world);

std::vector<CaseSize> FreeOf(const PlanCase& of);
/// Takes what a plan gives to a unit off `free`; false: it is not there, or not allowed.
bool Apply(const PlanCase& of, const PlanCase::UnitOf& unit, const UnitPlan& plan,
           std::vector<CaseSize>* free);
/// Members that have a place with the plan: bound, or placed.
int PlacedOf(const PlanCase::UnitOf& unit, const UnitPlan& plan);
int LeadersOf(const PlanCase::UnitOf& unit, const UnitPlan& plan);
/// Members and bound ones.
int SizeOf(const PlanCase::UnitOf& unit);

/// Whether any subset of members can be placed so that the minimum has a place, by trying every
/// way.
class BruteForce {
 public:
  BruteForce(const PlanCase& of, const PlanCase::UnitOf& unit, std::vector<CaseSize> free);

  bool Fits();
  /// As if the unit required one rack.
  bool FitsOneRack();

 private:
  bool HasInAll() const;
  bool InRack(int rack);
  bool From(size_t member, int placed, int leaders, int rack);

  const PlanCase& case_;
  const PlanCase::UnitOf& unit_;
  std::vector<CaseSize> free_;
  std::multiset<size_t> taken_;  // the nodes of those who have a place
};

}  // namespace outrigger::plan
