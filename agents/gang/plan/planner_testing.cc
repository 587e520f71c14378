#include "planner_testing.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace outrigger::plan {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

World& World::AddNode(const Node& node) {
  cluster_->UpsertNode(node);
  return *this;
}

World& World::AddNodes(std::string_view prefix, int count, std::string_view cpu) {
  for (int i = 1; i <= count; ++i) {
    AddNode(MakeNode(absl::StrFormat("%s%02d", std::string(prefix), i)).Allocatable("cpu", cpu));
  }
  return *this;
}

World& World::Bind(const Pod& pod, std::string_view node) {
  Pod bound = pod;
  bound.node_name = std::string(node);
  cluster_->UpsertPod(bound);
  return *this;
}

Plan World::PlanFresh(const std::vector<Unit>& units, const PlanOptions& options) {
  return Planner().Run(Take(), units, options);
}

Shortfall World::Explain(const std::vector<Unit>& units, size_t index, const PlanOptions& options) {
  return Planner().Explain(Take(), units, index, options);
}

MakeUnit::MakeUnit(std::string_view name) {
  unit_.key = {Dialect::kLabels, "default", std::string(name), ""};
  unit_.rank.namespace_ = "default";
  unit_.rank.name = std::string(name);
  unit_.minimum = 0;
}

MakeUnit& MakeUnit::Members(int count, std::string_view cpu, std::string_view role) {
  for (int i = 0; i < count; ++i) {
    AddMember(
        MakePod(absl::StrCat(unit_.key.name, "-", unit_.members.size())).Requests({{"cpu", cpu}}));
    unit_.members.back().role = std::string(role);
  }
  return *this;
}

MakeUnit& MakeUnit::AddMember(const Pod& pod) {
  Member& member = unit_.members.emplace_back();
  member.pod = std::make_shared<const Pod>(pod);
  ++unit_.minimum;
  return *this;
}

MakeUnit& MakeUnit::Minimum(int64_t minimum) {
  unit_.minimum = minimum;
  return *this;
}

MakeUnit& MakeUnit::Priority(int32_t priority) {
  unit_.rank.priority = priority;
  return *this;
}

MakeUnit& MakeUnit::Bound(int64_t bound, std::initializer_list<std::string> nodes) {
  unit_.bound = bound;
  unit_.topology.bound_on = nodes;
  return *this;
}

MakeUnit& MakeUnit::AddRole(std::string_view name, int64_t minimum, int64_t bound) {
  unit_.roles.push_back({std::string(name), minimum, bound});
  return *this;
}

MakeUnit& MakeUnit::Required(std::initializer_list<std::string> labels) {
  unit_.topology.required = labels;
  return *this;
}

MakeUnit& MakeUnit::Preferred(std::initializer_list<std::string> labels) {
  unit_.topology.preferred = labels;
  return *this;
}

MakeUnit& MakeUnit::MinResources(std::string_view resource, std::string_view amount) {
  unit_.min_resources.Set(resource, testing::Q(amount));
  return *this;
}

std::string TextOf(const UnitPlan& plan) {
  if (!plan.fits) return "waits: " + TextOf(plan.cause);
  std::string text;
  for (const std::string& node : plan.nodes) {
    if (!text.empty()) text += ' ';
    text += node.empty() ? "-" : node;
  }
  return text;
}

}  // namespace outrigger::plan
