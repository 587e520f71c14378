#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builders.h"
#include "cluster/cluster.h"
#include "gang/plan/planner.h"

// Clusters and units for tests of the planner.

namespace outrigger::plan {

/// A cluster of nodes on which a test may bind pods. A planner's plans of it.
class World {
 public:
  World() : cluster_(std::make_unique<cluster::Cluster>(cluster::ClusterOptions())) {}

  World& AddNode(const Node& node);
  /// `count` nodes called <prefix>01, <prefix>02, ... of so much cpu.
  World& AddNodes(std::string_view prefix, int count, std::string_view cpu);
  World& Bind(const Pod& pod, std::string_view node);

  std::shared_ptr<const cluster::Snapshot> Take() { return cluster_->Take(); }
  cluster::Cluster& cluster() { return *cluster_; }
  /// By a planner that has planned nothing before.
  Plan PlanFresh(const std::vector<Unit>& units, const PlanOptions& options = {});
  Shortfall Explain(const std::vector<Unit>& units, size_t index, const PlanOptions& options = {});

 private:
  std::unique_ptr<cluster::Cluster> cluster_;  // never null
};

/// A unit whose members ask for cpu. Valid by default; the minimum is the number of members.
class MakeUnit {
 public:
  explicit MakeUnit(std::string_view name);
  MakeUnit& Members(int count, std::string_view cpu, std::string_view role = "");
  MakeUnit& AddMember(const Pod& pod);
  MakeUnit& Minimum(int64_t minimum);
  MakeUnit& Priority(int32_t priority);
  MakeUnit& Bound(int64_t bound, std::initializer_list<std::string> nodes = {});
  MakeUnit& AddRole(std::string_view name, int64_t minimum, int64_t bound = 0);
  MakeUnit& Required(std::initializer_list<std::string> labels);
  MakeUnit& Preferred(std::initializer_list<std::string> labels);
  MakeUnit& MinResources(std::string_view resource, std::string_view amount);
  operator Unit() const { return unit_; }  // NOLINT(google-explicit-constructor)
  Unit& unit() { return unit_; }

 private:
  Unit unit_;
};

/// "a a b -": where the members are to go, in order; "waits: cpu" of a unit that does not fit.
std::string TextOf(const UnitPlan& plan);

}  // namespace outrigger::plan
