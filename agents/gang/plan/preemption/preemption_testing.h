#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gang/plan/groups/groups_testing.h"
#include "gang/plan/planner_testing.h"
#include "gang/plan/preemption.h"

namespace outrigger::plan {

/// A pod that asks for cpu. Bound pods got their place at second 1000 unless they say otherwise.
class Asking {
 public:
  Asking(std::string_view name, std::string_view cpu)
      : pod_(testing::MakePod(name).Requests({{"cpu", cpu}})) {}
  Asking& On(std::string_view node) {
    pod_.node_name = std::string(node);
    pod_.scheduled_time = 1000;
    return *this;
  }
  Asking& Since(int64_t seconds) { return pod_.scheduled_time = seconds, *this; }
  Asking& Priority(int32_t priority) { return pod_.priority = priority, *this; }
  Asking& Label(std::string_view key, std::string_view value) {
    return pod_.labels.Set(key, value), *this;
  }
  Asking& Gang(std::string_view name, std::string_view minimum = "1") {
    return Label(kPodGroupLabel, name).Label(kMinAvailableLabel, minimum);
  }
  Asking& Annotation(std::string_view key, std::string_view value) {
    return pod_.annotations.Set(key, value), *this;
  }
  /// It says with which minimum its gang started.
  Asking& Started(std::string_view with) { return pod_.annotations.Set(kStartedWith, with), *this; }
  Asking& Mirror() { return pod_.annotations.Set("kubernetes.io/config.mirror", "hash"), *this; }
  Asking& Of(const std::string& kind) {
    return pod_.controller = OwnerReference{kind, "owner", "uid-owner"}, *this;
  }
  Asking& Scheduler(std::string_view name) {
    pod_.scheduler_name = std::string(name);
    return *this;
  }
  Asking& Never() { return pod_.never_preempts = true, *this; }
  Asking& Terminating() { return pod_.being_deleted = true, *this; }
  operator PodPtr() const {  // NOLINT(google-explicit-constructor)
    return std::make_shared<const Pod>(pod_);
  }

 private:
  Pod pod_;
};

/// Nodes and pods, and who would have to go for a unit of them.
class Crowd {
 public:
  explicit Crowd(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) world_.AddNode(node);
  }
  Crowd& Add(const PodPtr& pod) {
    pods_.push_back(pod);
    if (!pod->node_name.empty()) world_.Bind(*pod, pod->node_name);
    return *this;
  }
  Crowd& Add(const PodGroupObject& object) { return objects_.push_back(object), *this; }

  World& world() { return world_; }
  const Pods& pods() const { return pods_; }
  PreemptionOptions& options() { return options_; }
  GroupOptions& groups() { return groups_; }

  Preemption Find(std::string_view unit) {
    const Built built = Build(pods_, objects_, groups_);
    for (size_t i = 0; i < built.units.size(); ++i) {
      if (built.units[i].key.name != unit) continue;
      Planner planner;
      return FindPreemption(&planner, world_.Take(), built.units, i, built.groups, {}, options_);
    }
    ADD_FAILURE() << "no unit " << unit;
    return {};
  }

 private:
  World world_;
  Pods pods_;
  std::vector<PodGroupObject> objects_;
  GroupOptions groups_ = AllServed();
  PreemptionOptions options_{.now = 2000};
};

/// "train(a b) web-1(web-1)", or why there are none.
inline std::string TextOf(const Preemption& preemption) {
  switch (preemption.answer) {
    case Preemption::Answer::kNotNeeded:
      return "not needed";
    case Preemption::Answer::kNever:
      return "never";
    case Preemption::Answer::kNobody:
      return "nobody";
    case Preemption::Answer::kEffort:
      return "effort";
    case Preemption::Answer::kVictims:
      break;
  }
  std::string text;
  for (const Victim& victim : preemption.victims) {
    text += (text.empty() ? "" : " ") + victim.key.name + "(";
    for (const auto& pod : victim.pods) {
      text += (pod == victim.pods.front() ? "" : " ") + pod->name;
    }
    text += ")";
  }
  return text;
}

}  // namespace outrigger::plan
