#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lab/framework/plugins.h"
#include "lab/framework/pod_queue.h"
#include "lab/framework/trace.h"

// What stands around the scheduling loop in its tests.

namespace outrigger::lab {

/// Remembers what becomes of pods.
class RecordingQueue final : public PodQueue {
 public:
  void Add(std::shared_ptr<const Pod> /*pod*/) override {}
  void Update(const std::shared_ptr<const Pod>& /*before*/,
              std::shared_ptr<const Pod> /*after*/) override {}
  void Delete(const Pod& /*pod*/) override {}
  std::optional<QueuedPod> Pop(const std::stop_token& /*stop*/) override { return std::nullopt; }
  bool HasReady() const override { return false; }
  void AddUnschedulable(QueuedPod pod) override { failed.push_back(std::move(pod)); }
  void Done(std::string_view uid) override { done.emplace_back(uid); }
  void OnEvent(const ClusterEvent& /*event*/) override {}

  std::vector<QueuedPod> failed;
  std::vector<std::string> done;
};

/// A plugin of every stage that writes down when it is called, and answers what a test has set.
class EveryStage final : public PreFilterPlugin,
                         public FilterPlugin,
                         public PreScorePlugin,
                         public ScorePlugin,
                         public ReservePlugin,
                         public PermitPlugin,
                         public PreBindPlugin {
 public:
  EveryStage(std::string name, std::vector<std::string>* calls)
      : name_(std::move(name)), calls_(calls) {}

  std::string_view Name() const override { return name_; }
  PluginStatus PreFilter(CycleState&, const Pod&, const NodeList&) override {
    return Call("PreFilter");
  }
  PluginStatus Filter(CycleState&, const Pod&, const Node& node) override {
    const PluginStatus status = Call("Filter " + node.name);
    return rejected_nodes.contains(node.name) ? PluginStatus::Unschedulable("too small") : status;
  }
  PluginStatus PreScore(CycleState&, const Pod&, const NodeList&) override {
    return Call("PreScore");
  }
  absl::StatusOr<int64_t> Score(CycleState&, const Pod&, const Node& node) override {
    const PluginStatus status = Call("Score " + node.name);
    if (!status.ok()) return absl::InternalError(status.reason);
    const auto score = scores.find(node.name);
    return score == scores.end() ? 0 : score->second;
  }
  PluginStatus Reserve(CycleState&, const Pod&, const std::string& node) override {
    return Call("Reserve " + node);
  }
  void Unreserve(CycleState&, const Pod&, const std::string& node) override {
    calls_->push_back(name_ + " Unreserve " + node);
  }
  Answer Permit(CycleState&, const Pod&, const std::string& node) override {
    if (on_permit) on_permit();
    return {Call("Permit " + node), std::chrono::seconds(10)};
  }
  PluginStatus PreBind(CycleState&, const Pod&, const std::string& node) override {
    return Call("PreBind " + node);
  }

  std::map<std::string, PluginStatus> answers;  // by stage
  std::set<std::string> rejected_nodes;
  std::map<std::string, int64_t> scores;
  std::function<void()> on_permit = {};

 private:
  PluginStatus Call(const std::string& what) {
    calls_->push_back(name_ + " " + what);
    const auto answer = answers.find(what.substr(0, what.find(' ')));
    return answer == answers.end() ? PluginStatus::Success() : answer->second;
  }

  const std::string name_;
  std::vector<std::string>* const calls_;
};

/// Remembers what was shown.
class RecordingTrace final : public TraceSink {
 public:
  void Show(const CycleTrace& trace) override {
    lines.push_back(trace.pod + (trace.bound ? " bound to " + trace.node : ": " + trace.reason));
    rows.clear();
    for (const TraceRow& row : trace.rows) {
      rows.push_back(std::string(row.stage) + "|" + row.plugin + "|" + row.node + "|" + row.answer +
                     (row.good ? "" : "|!"));
    }
  }
  std::vector<std::string> lines;
  std::vector<std::string> rows;  // of the last one
};

}  // namespace outrigger::lab
