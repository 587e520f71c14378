#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "extender.h"
#include "scene.h"
#include "scheduling_queue.h"
#include "timeline.h"

namespace outrigger::sim {

/// A stand-in for kube-scheduler, as far as an agent that orders pods can tell the difference: one
/// pod at a time, the node of its nomination first, in-tree filters that count nominated pods, an
/// extender, preemption pod by pod, and a binding that takes its time. It sees the API server at
/// once. Not thread-safe.
class SchedulerStandIn {
 public:
  struct Options {
    SchedulingQueue::Options queue;
    milliseconds call{1};  // from the pop to the answers, and from there to the end of the cycle
    milliseconds bind{5};
    milliseconds grace{100};  // from the eviction of a pod to its end
    size_t sample = 0;        // so many nodes at most are offered; 0: all
  };
  struct Hooks {
    /// The pod is let through to the node, which it is about to take.
    std::function<void(const ScenePod& pod, const SceneNode& node)> let_through;
    /// The pods of these names are evicted for the pod, which wants their node.
    std::function<void(const ScenePod& pod, const SceneNode& node,
                       const std::vector<std::string>& victims)>
        evicts;
  };

  /// All outlive this. Pods are followed from now on.
  SchedulerStandIn(Scene* scene, Timeline* timeline, Extender* extender, Options options,
                   Hooks hooks, uint32_t seed);

  /// Pops nothing for so long.
  void Pause(milliseconds time);

  /// Pods that were popped, up to now.
  size_t cycles() const { return cycles_; }
  size_t filter_calls() const { return filter_calls_; }

 private:
  struct Cycle {
    ScenePod pod;  // as it was popped
    Failure failure;
    std::string reason;                          // of the extender
    std::vector<const SceneNode*> unresolvable;  // the extender says so
    const SceneNode* node = nullptr;
    bool clears_nomination = false;
  };

  void OnPod(const Pod* before, const Pod* after);
  void Plan();
  void Begin();
  void Decide(const std::string& name);
  void End(Cycle cycle);
  void Patch(const Cycle& cycle);
  bool PassesInTree(const ScenePod& pod, const SceneNode& node) const;
  std::vector<const SceneNode*> Offer(Cycle* cycle);
  std::vector<const SceneNode*> Ask(const std::vector<const SceneNode*>& nodes, Cycle* cycle);
  const SceneNode* Choose(const std::vector<const SceneNode*>& nodes, const Cycle& cycle);
  void Select(Cycle* cycle);
  void LetThrough(const Cycle& cycle);
  void Bind(const std::string& name, const std::string& uid, const std::string& node);
  std::vector<std::string> VictimsOn(const ScenePod& pod, const SceneNode& node) const;
  bool MayPreempt(const ScenePod& pod) const;
  void Preempt(Cycle* cycle);
  void Evict(const ScenePod& pod, const SceneNode& node, const std::vector<std::string>& victims);

  Scene* const scene_;
  Timeline* const timeline_;
  Extender* const extender_;
  const Options options_;
  const Hooks hooks_;
  SchedulingQueue queue_;
  std::mt19937 random_;
  bool is_busy_ = false;
  uint64_t alarm_ = 0;  // the last one that was set
  size_t first_node_ = 0;
  size_t cycles_ = 0;
  size_t filter_calls_ = 0;
};

}  // namespace outrigger::sim
