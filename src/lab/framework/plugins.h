#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lab/framework/cluster_event.h"
#include "lab/framework/cycle_state.h"
#include "lab/framework/plugin_status.h"
#include "lab/framework/pod_queue.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

// The places at which a plugin may take part (extension points), in the order in which a pod comes
// by them. A plugin implements as many as it likes. The scheduling cycle, up to Permit, is one
// thread's; the binding cycle, PreBind and Bind, may be another's, several at once.

namespace outrigger::lab {

/// Nodes as they are at the beginning of a cycle, by name.
using NodeList = std::vector<std::shared_ptr<const Node>>;

/// What all plugins have.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view Name() const = 0;
  /// What may make a pod schedulable that this plugin rejected. Nothing else wakes it.
  virtual std::vector<ClusterEvent> EventsToRegister() const { return {}; }
};

/// The order of the queue. A scheduler has one.
class QueueSortPlugin : public virtual Plugin {
 public:
  /// True if `a` comes before `b`. Those of which neither does keep the order of their arrival.
  virtual bool Less(const QueuedPod& a, const QueuedPod& b) const = 0;
};

/// Once for each pod, before any node is looked at.
class PreFilterPlugin : public virtual Plugin {
 public:
  /// kUnschedulable: no node will do. kSkip: Filter of this plugin is left out for this pod.
  virtual PluginStatus PreFilter(CycleState& state, const Pod& pod, const NodeList& nodes) = 0;
};

/// May the pod go to this node?
class FilterPlugin : public virtual Plugin {
 public:
  virtual PluginStatus Filter(CycleState& state, const Pod& pod, const Node& node) = 0;
};

/// Once for each pod, before the nodes that are left get their scores.
class PreScorePlugin : public virtual Plugin {
 public:
  /// kSkip: Score of this plugin is left out for this pod.
  virtual PluginStatus PreScore(CycleState& state, const Pod& pod, const NodeList& nodes) = 0;
};

/// How well would the node do? Scores of all plugins are added.
class ScorePlugin : public virtual Plugin {
 public:
  /// 0 to 100. An error ends the cycle.
  virtual absl::StatusOr<int64_t> Score(CycleState& state, const Pod& pod, const Node& node) = 0;
};

/// The node is chosen.
class ReservePlugin : public virtual Plugin {
 public:
  virtual PluginStatus Reserve(CycleState& state, const Pod& pod, const std::string& node) = 0;
  /// Undoes Reserve() where a later stage failed, in reverse order, also where Reserve() was not
  /// called or failed: must not mind.
  virtual void Unreserve(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

/// The last word before the binding: yes, no, or not yet.
class PermitPlugin : public virtual Plugin {
 public:
  struct Answer {
    PluginStatus status;
    /// With kWait: the pod is rejected if the plugin has not allowed it (WaitingPods) by then.
    std::chrono::milliseconds timeout{0};
  };
  virtual Answer Permit(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

/// What must be ready before the pod is bound. May block.
class PreBindPlugin : public virtual Plugin {
 public:
  virtual PluginStatus PreBind(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

/// Tells the API server. May block.
class BindPlugin : public virtual Plugin {
 public:
  /// kSkip: the next one is asked.
  virtual PluginStatus Bind(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

}  // namespace outrigger::lab
