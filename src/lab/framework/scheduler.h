#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lab/framework/handle.h"
#include "lab/framework/node_cache.h"
#include "lab/framework/plugins.h"
#include "lab/framework/pod_queue.h"
#include "lab/framework/trace.h"

namespace outrigger::lab {

/// What a scheduler is made of. A plugin is in the list of each stage at which it takes part.
struct Profile {
  std::unique_ptr<PodQueue> queue;  // never null
  std::vector<std::shared_ptr<PreFilterPlugin>> pre_filter = {};
  std::vector<std::shared_ptr<FilterPlugin>> filter = {};
  std::vector<std::shared_ptr<PreScorePlugin>> pre_score = {};
  std::vector<std::shared_ptr<ScorePlugin>> score = {};
  std::vector<std::shared_ptr<ReservePlugin>> reserve = {};
  std::vector<std::shared_ptr<PermitPlugin>> permit = {};
  std::vector<std::shared_ptr<PreBindPlugin>> pre_bind = {};
  std::vector<std::shared_ptr<BindPlugin>> bind = {};
  /// Binding cycles run in the background, while the next pod is scheduled. False: one after the
  /// other.
  bool binds_in_background = false;
  /// Changes of nodes and pods are events for the queue.
  bool has_event_handlers = false;
};

/// What each plugin of the profile registered for, by its name.
std::map<std::string, std::vector<ClusterEvent>, std::less<>> RegisteredEvents(
    const Profile& profile);

struct SchedulerOptions {
  /// Sees the end of each cycle; may be null.
  TraceSink* trace = nullptr;
  /// And what each plugin said of each node.
  bool trace_rows = false;
  /// Gets what an operator should know: calls that failed. May be empty. Thread-safe.
  std::function<void(const std::string& line)> warn = {};
};

/// The scheduling loop: takes pods out of the queue, one after the other, and leads each through
/// the stages of plugins.h. Run() and ScheduleOne() are for one thread.
class Scheduler {
 public:
  /// `nodes` and what `handle` points to outlive this. Work in the background uses this: end the
  /// workers, and the timers that end the waiting at Permit, before it.
  Scheduler(Profile profile, const NodeCache* nodes, const Handle& handle,
            SchedulerOptions options = {});

  /// Schedules until `stop` is requested.
  void Run(const std::stop_token& stop);
  /// Schedules one pod, which came out of the queue.
  void ScheduleOne(QueuedPod pod);

  PodQueue& queue() { return *profile_.queue; }
  const Profile& profile() const { return profile_; }

 private:
  struct Cycle;
  using CyclePtr = std::shared_ptr<Cycle>;
  /// Why a cycle ended without a node; nothing: it goes on.
  using Failure = std::optional<PluginStatus>;

  Failure SchedulingCycle(Cycle& cycle);
  Failure PreFilter(Cycle& cycle);
  Failure Filter(Cycle& cycle);
  Failure Score(Cycle& cycle);
  Failure AddScores(Cycle& cycle, ScorePlugin& plugin, std::vector<int64_t>* scores);
  void Select(Cycle& cycle, const std::vector<int64_t>& scores);
  Failure Reserve(Cycle& cycle);
  Failure Permit(Cycle& cycle);
  Failure AskPermit(Cycle& cycle);

  void GoOn(const CyclePtr& cycle);
  void AfterPermit(const CyclePtr& cycle, const PluginStatus& status, const std::string& plugin);
  void BindingCycle(const CyclePtr& cycle);
  Failure Bind(Cycle& cycle);
  void Succeed(Cycle& cycle);

  void Fail(const CyclePtr& cycle, const PluginStatus& status);
  void Unreserve(Cycle& cycle);
  void WriteCondition(const Pod& pod, const PluginStatus& status);
  void Show(const Cycle& cycle);
  void InBackground(Executor* executor, std::function<void()> task);

  const Profile profile_;
  const NodeCache* const nodes_;
  const Handle handle_;
  const SchedulerOptions options_;
};

}  // namespace outrigger::lab
