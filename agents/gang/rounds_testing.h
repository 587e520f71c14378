#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "desk_testing.h"
#include "gang/desk/leadership/scheduler_lease.h"
#include "gang/desk/plan_loop.h"
#include "gang_testing.h"
#include "reports/counted_testing.h"
#include "rounds.h"

namespace outrigger::gang {

/// Rounds of the desk with this agent alone, one by one.
struct RoundsUnderTest {
  explicit RoundsUnderTest(const desk::PlanningOptions& planning) : options(planning) {}

  testing::FakeCluster cluster;
  Counted counted;
  std::vector<std::string> logged;
  Reports::Log log = [this](std::string_view line) { logged.emplace_back(line); };
  Reports reports{&cluster, &counted, log};
  Barriers barriers{{}};
  EvictionReports eviction_reports{&cluster, &counted, log};
  Evictor evictor{&cluster, &eviction_reports, {}};
  Recovery recovery{&cluster, &eviction_reports, {}};
  StatusWriter statuses{&cluster, log, {}};
  Explainer explainer{nullptr};
  Unasked unasked{&cluster, &counted, log};
  Held held{&cluster, &counted, log};
  Committer committer{&cluster, {}};
  Rounds rounds{{.barriers = &barriers,
                 .committer = &committer,
                 .evictor = &evictor,
                 .recovery = &recovery,
                 .statuses = &statuses,
                 .reports = &reports,
                 .explainer = &explainer,
                 .unasked = &unasked,
                 .held = &held}};
  desk::Inbox inbox;
  desk::SchedulerLease leadership{&cluster, {}, nullptr};
  desk::PlanningOptions options;
  desk::PlanLoop loop{&cluster, &leadership, &inbox, {&rounds}, options};
};

class RoundsTest : public ::testing::Test {
 protected:
  desk::PlanningOptions Options() {
    desk::PlanningOptions options;
    options.now = [this] { return now_; };
    return options;
  }
  void PlanAfter(std::chrono::seconds time) {
    now_ += time;
    loop_.Step();
  }

  Time now_ = kBegin;
  RoundsUnderTest parts_{Options()};
  testing::FakeCluster& cluster_ = parts_.cluster;
  Counted& counted_ = parts_.counted;
  std::vector<std::string>& logged_ = parts_.logged;
  desk::PlanLoop& loop_ = parts_.loop;
};

}  // namespace outrigger::gang
