#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "lab/framework/cycle_state.h"
#include "lab/framework/plugins.h"
#include "lab/framework/pod_queue.h"
#include "lab/framework/scheduler.h"
#include "lab/framework/trace.h"
#include "lab/framework/waiting_pods.h"

namespace outrigger::lab {

/// One pod on its way through the stages.
struct Scheduler::Cycle {
  QueuedPod queued;
  std::shared_ptr<const NodeList> nodes;  // as they were when the cycle began
  NodeList feasible = {};                 // those that passed Filter
  std::string node = {};                  // the one that was chosen
  bool is_reserved = false;
  WaitingPods::Timeouts waits_for = {};  // plugins whose Permit said "wait"
  CycleState state = {};
  // Names, which live as long as the profile: a plugin may be another object at each stage.
  std::set<std::string_view> skip_filter = {};  // said kSkip in PreFilter
  std::set<std::string_view> skip_score = {};   // said kSkip in PreScore
  CycleTrace trace = {};
  bool trace_rows = false;  // rows are wanted

  const Pod& pod() const { return *queued.pod; }

  /// The plugin rejected the pod: only what it registered for wakes the pod again.
  void RejectedBy(const Plugin& plugin) { queued.unschedulable_plugins.emplace(plugin.Name()); }

  // A row of the trace, if rows are wanted.
  void Note(std::string_view stage, const Plugin& plugin, std::string_view on_node,
            const PluginStatus& status);
  void Note(std::string_view stage, std::string_view plugin, std::string_view on_node,
            std::string answer, bool good = true);
};

}  // namespace outrigger::lab
