#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "agent_driver.h"
#include "judge.h"
#include "late_view.h"
#include "scene.h"
#include "scheduler_standin.h"
#include "timeline.h"

namespace outrigger::sim {

/// What a simulation is made of. Random() draws it from a seed.
struct Conditions {
  uint32_t seed = 0;
  std::vector<int64_t> nodes;  // the slots of each; every second one is in zone "b", others in "a"
  size_t pods = 20;
  bool sizes_differ = false;
  bool zones_differ = false;  // some pods run in one zone only
  bool has_critical = false;
  bool has_giant = false;         // a pod that fits nowhere
  milliseconds arrivals{10'000};  // pods come within this time; 0: all at once
  milliseconds longest_run{6'000};
  milliseconds watch_delay{0};
  double lost_answers = 0;  // of all answers
  double deaths = 0;        // pods that are deleted while they wait
  int restarts = 0;         // of the agent
  SchedulerStandIn::Options scheduler;

  static Conditions Random(uint32_t seed);
};

/// What is broken on purpose.
struct Sabotage {
  std::function<std::unique_ptr<Extender>(Extender* agent)> extender;  // in the agent's place
  std::function<void(Pod* pod)> seen_by_agent;

  bool IsNone() const { return !extender && !seen_by_agent; }
};

/// One run of the agent with the stand-in for the scheduler, until all pods have had their run.
class Simulation {
 public:
  explicit Simulation(const Conditions& conditions, const Sabotage& sabotage = {});
  ~Simulation();

  void Run();

  const Judge& judge() const { return judge_; }
  const SchedulerStandIn& scheduler() const { return *scheduler_; }
  size_t steps() const { return agent_.steps(); }
  size_t bound() const { return bound_; }
  /// Pods that still wait though they would fit an empty node.
  std::vector<std::string> Waiting() const;
  /// Pods that wait with a nomination.
  std::vector<std::string> Nominated() const;

 private:
  class LossyCalls;
  void AddNodes();
  void PlanArrivals();
  void PlanRestarts();
  ScenePod RandomPod(size_t index);
  milliseconds Within(milliseconds longest);
  bool Chance(double of) { return std::uniform_real_distribution<>(0, 1)(random_) < of; }
  int64_t Pick(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random_);
  }
  void OnPod(const Pod* before, const Pod* after);
  void Look();

  const Conditions conditions_;
  std::mt19937 random_;
  Timeline timeline_;
  Scene scene_{&timeline_};
  Judge judge_{&scene_, conditions_.watch_delay + conditions_.scheduler.bind};
  std::unique_ptr<LateView> view_;
  AgentDriver agent_;
  std::unique_ptr<LossyCalls> calls_;
  std::unique_ptr<Extender> broken_;
  std::unique_ptr<SchedulerStandIn> scheduler_;
  size_t to_come_ = 0;
  size_t bound_ = 0;
  bool is_over_ = false;
  Time last_change_;
};

}  // namespace outrigger::sim
