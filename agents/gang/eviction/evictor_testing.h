#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "desk_testing.h"
#include "eviction/evictor.h"
#include "gang_testing.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {

/// The evictor alone, given plans by hand.
class EvictorAloneTest : public GangTest {
 protected:
  void Put(Pod pod, int32_t priority, const std::string& node = "") {
    pod.priority = priority;
    pod.node_name = node;
    cluster_.Put(pod);
  }
  // A plan of the cluster as it is now, and what the evictor adds.
  void Plan() {
    plan::GroupOptions groups;
    groups.scheduler_names = schedulers_;
    plan::PlanOptions options;
    evictor_.Prepare(&groups, &options);
    Tell(options, groups);
  }
  void Tell(const plan::PlanOptions& options, const plan::GroupOptions& groups = {}) {
    const ClusterView view = *cluster_.Take();
    const auto pods = pods_.Of(*view.snapshot);
    table_.Update(pods, view.objects->pod_groups, groups, &notes_);
    const plan::Plan planned = planner_.Run(view.snapshot, table_.made().units, options);
    const Board board({.units = table_.made().units,
                       .resting = {},
                       .plan = planned,
                       .groups = table_.made().groups,
                       .pods = pods,
                       .snapshot = view.snapshot});
    evictor_.OnPlan(view, table_.made().units, options, board, asks_about_all_);
  }
  // Gangs on nodes of their own, and one that wants both nodes.
  void TwoGangsForOne() {
    Nodes(2);
    for (int i = 0; i < 2; ++i) {
      Put(Member("low", i, 2, "2"), 10, "n0");
      Put(Member("mid", i, 2, "2"), 20, "n1");
    }
    for (int i = 0; i < 4; ++i) Put(Member("high", i, 4, "2"), 1000);
  }
  // The plan that knows of a promise.
  void PlanPromise() {
    Plan();
    Await([&] { return changed_ > 0; });
    Plan();
  }
  // low-0 is evicted; of all others a budget says no, until there is none.
  void CutLow() {
    auto refused = std::make_shared<std::atomic<int>>(0);
    cluster_.OnEvict([this, refused](const std::string& pod, bool dry_run) {
      if (dry_run || pod == "low-0" || !budget_) return absl::OkStatus();
      ++*refused;
      return absl::ResourceExhaustedError("a budget forbids it");
    });
    evictor_.Start();
    PlanPromise();
    Await([&] { return *refused >= 3 && cluster_.evictions().size() == 1; });
    EXPECT_THAT(Prepared().second, ::testing::SizeIs(4));
  }
  // Pods to whom it was said.
  std::vector<std::string> Preempted() const {
    std::vector<std::string> names;
    for (const ClusterEvent& event : cluster_.events()) {
      if (event.reason == "Preempted") names.push_back(event.name);
    }
    return names;
  }
  // For whom places are kept, and the pods that are to go.
  std::pair<std::optional<plan::Promise>, std::set<std::string, std::less<>>> Prepared() {
    plan::GroupOptions groups;
    plan::PlanOptions options;
    evictor_.Prepare(&groups, &options);
    return {options.promise, groups.leaving};
  }
  std::vector<std::string> log() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return log_;
  }

  std::mutex mutex_;
  std::vector<std::string> log_;  // guarded by mutex_
  Counted counted_;
  EvictionReports reports_{&cluster_, &counted_, [this](std::string_view line) {
                             const std::lock_guard<std::mutex> lock(mutex_);
                             log_.emplace_back(line);
                           }};
  std::atomic<bool> in_leadership_ = true;
  std::atomic<bool> held_by_another_ = false;
  std::atomic<bool> may_write_ = true;
  std::atomic<int> not_in_leadership_ = 0;  // so often it was told so
  std::atomic<int> changed_ = 0;
  std::atomic<bool> budget_ = true;
  bool asks_about_all_ = true;
  std::vector<std::string> schedulers_ = {"default-scheduler"};
  std::atomic<std::chrono::seconds> ahead_{};  // of the clock
  Evictor evictor_{&cluster_, &reports_, MakeOptions()};

 private:
  EvictorOptions MakeOptions() {
    EvictorOptions options{.enabled = true,
                           .min_run_time = std::chrono::seconds(0),
                           .between_rounds = std::chrono::milliseconds(1)};
    options.may_act = [this] {
      if (in_leadership_) return absl::OkStatus();
      ++not_in_leadership_;
      return held_by_another_ ? absl::FailedPreconditionError("the Lease is another's")
                              : absl::UnavailableError("the Lease cannot be read");
    };
    options.may_write = [this](const CallLimits& limits) -> absl::StatusOr<desk::WritePermit> {
      if (!may_write_) return absl::UnavailableError("not in charge");
      return desk::WritePermit{.limits = limits};
    };
    options.changed = [this] { ++changed_; };
    options.now = [this] { return std::chrono::steady_clock::now() + ahead_.load(); };
    return options;
  }

  plan::PlannedPods pods_;
  plan::NotesOnce notes_;
  plan::UnitTable table_;
  plan::Planner planner_;
};

}  // namespace outrigger::gang
