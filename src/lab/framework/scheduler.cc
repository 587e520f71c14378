// The whole of scheduling, from the top to the bottom of this file:
//
//   Run             the next pod, please
//   ScheduleOne     one pod: first the scheduling cycle, then the binding cycle
//   SchedulingCycle   PreFilter, Filter, PreScore, Score, Reserve, Permit: where shall it go?
//   BindingCycle      PreBind, Bind: make it so
//   Fail            no node this time: back into the queue
//
// Scheduling cycles run one after the other, so that each sees what the one before it decided.
// Binding cycles wait for other machines, so they may run in the background.
#include "lab/framework/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "fmt/core.h"
#include "lab/framework/plugins.h"
#include "lab/framework/pod_queue.h"
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

namespace {

using EventsByPlugin = std::map<std::string, std::vector<ClusterEvent>, std::less<>>;
using ReasonCounts = std::map<std::string, size_t, std::less<>>;

std::string AnswerOf(const PluginStatus& status) {
  switch (status.code) {
    case PluginStatus::Code::kSuccess:
      return "ok";
    case PluginStatus::Code::kSkip:
      return "skipped";
    default:
      return status.reason;
  }
}

bool IsGood(const PluginStatus& status) {
  return status.ok() || status.is_skip() || status.is_wait();
}

template <typename Plugins>
void AddEventsOf(const Plugins& plugins, EventsByPlugin* events) {
  for (const auto& plugin : plugins) {
    (*events)[std::string(plugin->Name())] = plugin->EventsToRegister();
  }
}

/// How many nodes were rejected for which reason.
/// The same if there are no nodes at all (scheduler.ErrNoNodesAvailable).
inline constexpr char kNoNodes[] = "no nodes available to schedule pods";

// What kube-scheduler writes about a pod for which no node is left (framework.FitError): "0/9
// nodes are available: 9 node(s) were unschedulable."
std::string FitErrorText(size_t nodes, const ReasonCounts& reasons) {
  const std::string text = fmt::format("0/{} nodes are available", nodes);
  if (reasons.empty()) return text + ".";
  std::vector<std::string> counted;
  counted.reserve(reasons.size());
  for (const auto& [reason, count] : reasons)
    counted.push_back(fmt::format("{} {}", count, reason));
  // By the whole text, numbers included, as upstream does: equal states give equal texts.
  std::sort(counted.begin(), counted.end());
  return fmt::format("{}: {}.", text, absl::StrJoin(counted, ", "));
}

}  // namespace

void Scheduler::Cycle::Note(std::string_view stage, const Plugin& plugin, std::string_view on_node,
                            const PluginStatus& status) {
  if (trace_rows) Note(stage, plugin.Name(), on_node, AnswerOf(status), IsGood(status));
}

void Scheduler::Cycle::Note(std::string_view stage, std::string_view plugin,
                            std::string_view on_node, std::string answer, bool good) {
  if (!trace_rows) return;
  trace.rows.push_back({stage, std::string(plugin), std::string(on_node), std::move(answer), good});
}

EventsByPlugin RegisteredEvents(const Profile& profile) {
  EventsByPlugin events;
  AddEventsOf(profile.pre_filter, &events);
  AddEventsOf(profile.filter, &events);
  AddEventsOf(profile.pre_score, &events);
  AddEventsOf(profile.score, &events);
  AddEventsOf(profile.reserve, &events);
  AddEventsOf(profile.permit, &events);
  AddEventsOf(profile.pre_bind, &events);
  AddEventsOf(profile.bind, &events);
  return events;
}

Scheduler::Scheduler(Profile profile, const NodeCache* nodes, const Handle& handle,
                     SchedulerOptions options)
    : profile_(std::move(profile)), nodes_(nodes), handle_(handle), options_(std::move(options)) {}

void Scheduler::Run(const std::stop_token& stop) {
  while (std::optional<QueuedPod> pod = profile_.queue->Pop(stop)) ScheduleOne(*std::move(pod));
}

void Scheduler::ScheduleOne(QueuedPod pod) {
  auto cycle =
      std::make_shared<Cycle>(Cycle{.queued = std::move(pod), .nodes = nodes_->Snapshot()});
  cycle->trace.pod = fmt::format("{}/{}", cycle->pod().namespace_, cycle->pod().name);
  cycle->trace.attempt = cycle->queued.attempts;
  cycle->trace_rows = options_.trace_rows;
  const Failure failure = SchedulingCycle(*cycle);
  if (failure.has_value()) return Fail(cycle, *failure);
  GoOn(cycle);
}

// ---- The scheduling cycle -----------------------------------------------------------------------

Scheduler::Failure Scheduler::SchedulingCycle(Cycle& cycle) {
  if (cycle.nodes->empty()) return PluginStatus::Unschedulable(kNoNodes);
  Failure failure = PreFilter(cycle);
  if (!failure) failure = Filter(cycle);
  if (!failure) failure = Score(cycle);
  if (!failure) failure = Reserve(cycle);
  if (!failure) failure = Permit(cycle);
  for (const auto& [what, count] : cycle.state.counts()) {
    cycle.Note("Count", "", "", fmt::format("{}: {} time{}", what, count, count == 1 ? "" : "s"));
  }
  return failure;
}

Scheduler::Failure Scheduler::PreFilter(Cycle& cycle) {
  for (const auto& plugin : profile_.pre_filter) {
    const PluginStatus status = plugin->PreFilter(cycle.state, cycle.pod(), *cycle.nodes);
    cycle.Note("PreFilter", *plugin, "", status);
    if (status.is_skip()) cycle.skip_filter.insert(plugin->Name());
    if (status.ok() || status.is_skip()) continue;
    if (!status.is_unschedulable()) return status;
    cycle.RejectedBy(*plugin);
    return PluginStatus::Unschedulable(
        FitErrorText(cycle.nodes->size(), {{status.reason, cycle.nodes->size()}}));
  }
  return std::nullopt;
}

// A node is feasible if no plugin objects. The first objection is enough: the others are not asked.
Scheduler::Failure Scheduler::Filter(Cycle& cycle) {
  ReasonCounts reasons;
  for (const std::shared_ptr<const Node>& node : *cycle.nodes) {
    bool fits = true;
    for (const auto& plugin : profile_.filter) {
      if (cycle.skip_filter.contains(plugin->Name())) continue;
      const PluginStatus status = plugin->Filter(cycle.state, cycle.pod(), *node);
      cycle.Note("Filter", *plugin, node->name, status);
      if (status.ok()) continue;
      if (!status.is_unschedulable()) return status;
      cycle.RejectedBy(*plugin);
      ++reasons[status.reason];
      fits = false;
      break;
    }
    if (fits) cycle.feasible.push_back(node);
  }
  if (cycle.feasible.empty()) {
    return PluginStatus::Unschedulable(FitErrorText(cycle.nodes->size(), reasons));
  }
  // Nodes are left: whatever goes wrong from here on, these rejections are not the cause.
  cycle.queued.unschedulable_plugins.clear();
  return std::nullopt;
}

Scheduler::Failure Scheduler::Score(Cycle& cycle) {
  for (const auto& plugin : profile_.pre_score) {
    const PluginStatus status = plugin->PreScore(cycle.state, cycle.pod(), cycle.feasible);
    cycle.Note("PreScore", *plugin, "", status);
    if (status.is_skip()) cycle.skip_score.insert(plugin->Name());
    if (!status.ok() && !status.is_skip()) return status;
  }
  std::vector<int64_t> scores(cycle.feasible.size(), 0);
  for (const auto& plugin : profile_.score) {
    if (cycle.skip_score.contains(plugin->Name())) continue;
    if (Failure failure = AddScores(cycle, *plugin, &scores)) return failure;
  }
  Select(cycle, scores);
  return std::nullopt;
}

Scheduler::Failure Scheduler::AddScores(Cycle& cycle, ScorePlugin& plugin,
                                        std::vector<int64_t>* scores) {
  for (size_t i = 0; i < cycle.feasible.size(); ++i) {
    const Node& node = *cycle.feasible[i];
    const absl::StatusOr<int64_t> score = plugin.Score(cycle.state, cycle.pod(), node);
    if (!score.ok()) {
      return PluginStatus::Error(
          fmt::format("{}: {}", plugin.Name(), std::string(score.status().message())));
    }
    if (cycle.trace_rows) cycle.Note("Score", plugin.Name(), node.name, std::to_string(*score));
    (*scores)[i] += *score;
  }
  return std::nullopt;
}

// The best node wins; among equals chance decides, or all pods would go to the same one.
void Scheduler::Select(Cycle& cycle, const std::vector<int64_t>& scores) {
  const int64_t best = *std::max_element(scores.begin(), scores.end());
  std::vector<size_t> winners;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] == best) winners.push_back(i);
  }
  cycle.node = cycle.feasible[winners[handle_.random->Pick(winners.size())]]->name;
  if (!cycle.trace_rows) return;
  cycle.Note("Select", "", cycle.node,
             winners.size() == 1
                 ? fmt::format("the best, {} points", best)
                 : fmt::format("by chance, of {} with {} points", winners.size(), best));
}

Scheduler::Failure Scheduler::Reserve(Cycle& cycle) {
  cycle.is_reserved = true;
  for (const auto& plugin : profile_.reserve) {
    const PluginStatus status = plugin->Reserve(cycle.state, cycle.pod(), cycle.node);
    cycle.Note("Reserve", *plugin, cycle.node, status);
    if (status.ok()) continue;
    if (!status.is_unschedulable()) return status;
    cycle.RejectedBy(*plugin);
    return PluginStatus::Unschedulable(FitErrorText(1, {{status.reason, 1}}));
  }
  return std::nullopt;
}

// "Wait" is no failure: the binding cycle begins later (GoOn).
Scheduler::Failure Scheduler::Permit(Cycle& cycle) {
  if (profile_.permit.empty()) return std::nullopt;
  // A plugin may allow the pod before the others have been asked.
  handle_.waiting_pods->Expect(cycle.pod().uid);
  Failure failure = AskPermit(cycle);
  if (failure.has_value() || cycle.waits_for.empty()) {
    handle_.waiting_pods->Forget(cycle.pod().uid);
  }
  return failure;
}

Scheduler::Failure Scheduler::AskPermit(Cycle& cycle) {
  for (const auto& plugin : profile_.permit) {
    const PermitPlugin::Answer answer = plugin->Permit(cycle.state, cycle.pod(), cycle.node);
    cycle.Note("Permit", *plugin, cycle.node, answer.status);
    if (answer.status.ok()) continue;
    if (answer.status.is_wait()) {
      cycle.waits_for.emplace(plugin->Name(), answer.timeout);
      continue;
    }
    if (!answer.status.is_unschedulable()) return answer.status;
    cycle.RejectedBy(*plugin);
    return PluginStatus::Unschedulable(FitErrorText(1, {{answer.status.reason, 1}}));
  }
  return std::nullopt;
}

// ---- The binding cycle --------------------------------------------------------------------------

// To the binding cycle: at once, or when Permit's plugins have allowed it. A pod that waits holds
// up no other: it is a note in WaitingPods, and the loop takes the next pod.
void Scheduler::GoOn(const CyclePtr& cycle) {
  if (cycle->waits_for.empty()) {
    InBackground(handle_.background, [this, cycle] { BindingCycle(cycle); });
    return;
  }
  handle_.waiting_pods->Add(cycle->pod(), cycle->waits_for,
                            [this, cycle](const PluginStatus& status, const std::string& plugin) {
                              InBackground(handle_.background, [this, cycle, status, plugin] {
                                AfterPermit(cycle, status, plugin);
                              });
                            });
}

void Scheduler::AfterPermit(const CyclePtr& cycle, const PluginStatus& status,
                            const std::string& plugin) {
  cycle->Note("Permit", plugin, cycle->node, status.ok() ? "allowed" : status.reason, status.ok());
  if (status.ok()) return BindingCycle(cycle);
  // No plugin: the pod was deleted, or bound by others.
  if (plugin.empty()) return Fail(cycle, PluginStatus::NotNeeded(status.reason));
  cycle->queued.unschedulable_plugins.insert(plugin);
  Fail(cycle, PluginStatus::Unschedulable(FitErrorText(1, {{status.reason, 1}})));
}

void Scheduler::BindingCycle(const CyclePtr& cycle) {
  for (const auto& plugin : profile_.pre_bind) {
    const PluginStatus status = plugin->PreBind(cycle->state, cycle->pod(), cycle->node);
    cycle->Note("PreBind", *plugin, cycle->node, status);
    if (status.ok()) continue;
    if (status.is_unschedulable()) cycle->RejectedBy(*plugin);
    return Fail(cycle, status);
  }
  const Failure failure = Bind(*cycle);
  if (failure.has_value()) return Fail(cycle, *failure);
  Succeed(*cycle);
}

Scheduler::Failure Scheduler::Bind(Cycle& cycle) {
  // The API server would bind a pod to a node that is no more.
  if (!nodes_->Has(cycle.node)) {
    return PluginStatus::Error(fmt::format("node \"{}\" is gone", cycle.node));
  }
  for (const auto& plugin : profile_.bind) {
    const PluginStatus status = plugin->Bind(cycle.state, cycle.pod(), cycle.node);
    cycle.Note("Bind", *plugin, cycle.node, status);
    if (status.is_skip()) continue;
    return status.ok() ? Failure() : Failure(status);
  }
  return PluginStatus::Error("no plugin binds the pod");
}

void Scheduler::Succeed(Cycle& cycle) {
  const Pod& pod = cycle.pod();
  profile_.queue->Done(pod.uid);
  handle_.api->RecordEvent(
      pod, /*warning=*/false, "Scheduled", "Binding",
      fmt::format("Successfully assigned {}/{} to {}", pod.namespace_, pod.name, cycle.node));
  cycle.trace.bound = true;
  cycle.trace.node = cycle.node;
  Show(cycle);
}

// ---- No node this time --------------------------------------------------------------------------

// What is written about the pod may take long where many pods fail, and must not hold up bindings.
// The pod goes back into the queue last: from then on it may be scheduled again, and what is
// written about this cycle must not come after what is written about the next one.
void Scheduler::Fail(const CyclePtr& cycle, const PluginStatus& status) {
  // Where something broke, plugins that rejected some of the nodes were not in the way.
  if (!status.is_unschedulable()) cycle->queued.unschedulable_plugins.clear();
  Unreserve(*cycle);
  handle_.api->RecordEvent(cycle->pod(), /*warning=*/true, "FailedScheduling", "Scheduling",
                           status.reason);
  cycle->trace.reason = status.reason;
  Show(*cycle);
  cycle->trace.rows.clear();
  InBackground(handle_.reports, [this, cycle, status] {
    if (!status.is_not_needed()) WriteCondition(cycle->pod(), status);
    profile_.queue->AddUnschedulable(std::move(cycle->queued));
  });
}

void Scheduler::Unreserve(Cycle& cycle) {
  if (!cycle.is_reserved) return;
  for (auto plugin = profile_.reserve.rbegin(); plugin != profile_.reserve.rend(); ++plugin) {
    (*plugin)->Unreserve(cycle.state, cycle.pod(), cycle.node);
  }
}

void Scheduler::WriteCondition(const Pod& pod, const PluginStatus& status) {
  const absl::Status written = handle_.api->WriteUnscheduled(
      pod, status.is_unschedulable() ? "Unschedulable" : "SchedulerError", status.reason);
  // A pod that is gone needs none, and Cancelled is what we asked for when we end.
  if (written.ok() || absl::IsNotFound(written) || absl::IsCancelled(written)) return;
  if (!options_.warn) return;
  options_.warn(fmt::format("cannot write the condition of pod {}/{}: {}", pod.namespace_, pod.name,
                            std::string(written.message())));
}

// ---- Helpers ------------------------------------------------------------------------------------

void Scheduler::Show(const Cycle& cycle) {
  if (options_.trace != nullptr) options_.trace->Show(cycle.trace);
}

void Scheduler::InBackground(Executor* executor, std::function<void()> task) {
  if (profile_.binds_in_background) return executor->Run(std::move(task));
  task();
}

}  // namespace outrigger::lab
