#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "preemption_testing.h"

// Clusters on which pods come and go, planned after each change.

namespace outrigger::plan {

inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";

/// What happens at once, and how the cluster stands after the plan that follows.
struct Step {
  std::vector<PodGroupObject> groups = {};
  Pods come = {};  // or change
  std::vector<std::string> go = {};
  const char* stands = nullptr;  // as Story::Plan() says; null: in between, not looked at
};

/// Whoever has a place in a plan is bound there before the next one.
class Story {
 public:
  /// `preempts`: gangs that do not fit have others evicted, as by the agent's setting.
  explicit Story(const std::vector<Node>& nodes, bool preempts = false) : preempts_(preempts) {
    for (const Node& node : nodes) world_.AddNode(node);
  }

  std::string Take(const Step& step) {
    objects_.insert(objects_.end(), step.groups.begin(), step.groups.end());
    for (const PodPtr& pod : step.come) Put(*pod);
    for (const std::string& name : step.go) Remove(name);
    return Plan();
  }

 private:
  void Put(const Pod& pod) {
    pods_[pod.name] = std::make_shared<const Pod>(pod);
    if (!pod.node_name.empty()) world_.Bind(pod, pod.node_name);
  }
  void Remove(const std::string& name) {
    pods_.erase(name);
    world_.cluster().RemovePod("default", name);
  }

  /// "n1(a b) n2(c) waits(train: cpu, d)": who is where, which gangs and single pods wait, and why,
  /// and members over the minimum for whom there is no room.
  std::string Plan() {
    std::vector<std::string> waits;
    const Built built = BuiltNow();
    for (const GroupState& group : built.groups) {
      if (group.cause == GroupCause::kNone) continue;
      waits.push_back(fmt::format("{}: {}", group.key.name, TextOf(group.cause)));
    }
    const auto plan = planner_.Run(world_.Take(), built.units);
    for (size_t i = 0; i < built.units.size(); ++i) {
      if (!plan.units[i].fits && MakesRoom(built, i)) return Plan();
    }
    for (size_t i = 0; i < built.units.size(); ++i) Act(built.units[i], plan.units[i], &waits);
    return Stands(waits);
  }
  Built BuiltNow() const {
    Pods pods;
    for (const auto& [name, pod] : pods_) pods.push_back(pod);
    return Build(pods, objects_);
  }
  void Act(const Unit& unit, const UnitPlan& plan, std::vector<std::string>* waits) {
    if (!plan.fits)
      return waits->push_back(fmt::format("{}: {}", unit.key.name, TextOf(plan.cause)));
    for (size_t i = 0; i < unit.members.size(); ++i) {
      Pod pod = *unit.members[i].pod;
      pod.node_name = plan.nodes[i];
      if (pod.node_name.empty()) waits->push_back(pod.name);
      Put(pod);
    }
  }
  /// Evicts who has to go for a gang; false if nobody is to.
  bool MakesRoom(const Built& built, size_t unit) {
    if (!preempts_ || built.units[unit].key.dialect == Dialect::kNone) return false;
    const Preemption found =
        FindPreemption(&planner_, world_.Take(), built.units, unit, built.groups, {}, {});
    for (const Victim& victim : found.victims) {
      for (const PodPtr& pod : victim.pods) Remove(pod->name);
    }
    return !found.victims.empty();
  }
  std::string Stands(const std::vector<std::string>& waits) const {
    std::map<std::string, std::vector<std::string>> at;
    for (const auto& [name, pod] : pods_) {
      if (!pod->node_name.empty() && pod->phase != "Failed") at[pod->node_name].push_back(name);
    }
    std::vector<std::string> texts;
    for (const auto& [node, names] : at) {
      texts.push_back(fmt::format("{}({})", node, fmt::join(names, " ")));
    }
    if (!waits.empty()) texts.push_back(fmt::format("waits({})", fmt::join(waits, ", ")));
    return fmt::format("{}", fmt::join(texts, " "));
  }

  const bool preempts_;
  World world_;
  std::map<std::string, PodPtr> pods_;
  std::vector<PodGroupObject> objects_;
  Planner planner_;
};

/// One row of a table of such stories.
struct Tale {
  const char* name;
  std::vector<Step> steps;
  bool preempts = false;
};
inline constexpr auto kTaleName = [](const auto& row) { return row.param.name; };

}  // namespace outrigger::plan
