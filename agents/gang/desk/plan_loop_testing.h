#pragma once

#include <chrono>
#include <string>

#include "board_testing.h"
#include "gang/desk/leadership/scheduler_lease.h"
#include "gang/desk/plan_loop.h"
#include "gmock/gmock.h"

namespace outrigger::desk {

/// Rounds of the planning thread, one by one.
class PlanLoopTest : public ::testing::Test {
 protected:
  /// A pending member "<gang>-<index>" by labels.
  static Pod Member(const std::string& gang, int index, int minimum, const std::string& cpu = "3") {
    return testing::MakePod(fmt::format("{}-{}", gang, index))
        .Label("podGroup", gang)
        .Label("minAvailable", std::to_string(minimum))
        .Requests({{"cpu", cpu}});
  }
  void PutBound(Pod pod, const std::string& node) {
    pod.node_name = node;
    cluster_.Put(pod);
  }
  PlanningOptions Options() {
    PlanningOptions options;
    options.reserve_after = std::chrono::minutes(5);
    options.now = [this] { return now_; };
    return options;
  }
  void PlanAfter(std::chrono::seconds time) {
    now_ += time;
    loop_.Step();
  }

  // Sees what is kept, as an agent does.
  class Watcher final : public Participant {
   public:
    void OnPlan(const Round& round) override { kept = round.plan.kept.size(); }
    std::optional<Time> next_look() const override { return look; }
    size_t kept = 0;
    std::optional<Time> look = Time();
  };

  Time now_ = kBegin;
  testing::FakeCluster cluster_;
  Inbox inbox_;
  SchedulerLease leadership_{&cluster_, {}, nullptr};
  Watcher watcher_;
  PlanLoop loop_{&cluster_, &leadership_, &inbox_, {&watcher_}, Options()};
};

}  // namespace outrigger::desk
