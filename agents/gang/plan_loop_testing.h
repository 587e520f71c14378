#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "board/board_testing.h"
#include "gang_testing.h"
#include "plan_loop.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {

/// Rounds of the planning thread, one by one.
class PlanLoopTest : public ::testing::Test {
 protected:
  void PutBound(Pod pod, const std::string& node) {
    pod.node_name = node;
    cluster_.Put(pod);
  }
  LoopOptions Options() {
    LoopOptions options;
    options.reserve_after = std::chrono::minutes(5);
    options.now = [this] { return now_; };
    return options;
  }
  void PlanAfter(std::chrono::seconds time) {
    now_ += time;
    loop_.Step();
  }

  Time now_ = Time() + std::chrono::hours(1);
  testing::FakeCluster cluster_;
  Counted counted_;
  std::vector<std::string> logged_;
  Reports::Log log_ = [this](std::string_view line) { logged_.emplace_back(line); };
  Inbox inbox_;
  Reports reports_{&cluster_, &counted_, log_};
  Charge charge_{&cluster_, {}, nullptr};
  Barriers barriers_{{}};
  EvictionReports eviction_reports_{&cluster_, &counted_, log_};
  Evictor evictor_{&cluster_, &eviction_reports_, {}};
  StatusWriter statuses_{&cluster_, log_, {}};
  PlanLoop loop_{&cluster_, &charge_,   &barriers_, &inbox_,
                 &evictor_, &statuses_, &reports_,  Options()};
};

}  // namespace outrigger::gang
