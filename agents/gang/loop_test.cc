#include "loop.h"

#include <algorithm>

#include "board_testing.h"
#include "counted_testing.h"
#include "gmock/gmock.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;

class LoopTest : public ::testing::Test {
 protected:
  LoopTest() {
    cluster_.Put(testing::MakeNode("n1"));
    charge_.Start();
  }
  static LoopOptions Options(LoopTest* test) {
    LoopOptions options;
    options.groups.scheduler_names = {"default-scheduler"};
    options.now = [test] { return test->now_; };
    return options;
  }
  void Member(const std::string& name) {
    Pod pod = testing::MakePod(name).Label("podGroup", "train").Label("minAvailable", "1");
    pod.scheduler_name = "default-scheduler";
    cluster_.Put(pod);
  }

  Time now_ = Time() + std::chrono::hours(1);
  testing::FakeCluster cluster_;
  Counted counted_;
  EvictionReports::Log log_ = [](std::string_view) {};
  Charge charge_{&cluster_, *ReadLeaseName("none"), nullptr};
  Barriers barriers_{{}};
  Inbox inbox_;
  EvictionReports evictions_{&cluster_, &counted_, log_};
  Evictor evictor_{&cluster_, &evictions_, {}};
  StatusWriter statuses_{&cluster_, log_, {}};
  Reports reports_{&cluster_, &counted_, log_};
  PlanLoop loop_{&cluster_, &charge_,   &barriers_, &inbox_,
                 &evictor_, &statuses_, &reports_,  Options(this)};
};

// Otherwise what was due when it last planned is due for as long as it does not plan.
TEST_F(LoopTest, HasNothingToLookAtWhileItCannotPlan) {
  Member("train-0");
  loop_.Step();
  ASSERT_NE(loop_.next_look(), std::nullopt);
  cluster_.SetUsable(absl::UnavailableError("starting: pods are 90 s old"));
  now_ += seconds(301);
  loop_.Step();
  EXPECT_EQ(loop_.next_look(), std::nullopt);
  cluster_.SetUsable(absl::OkStatus());
  loop_.Step();
  EXPECT_NE(loop_.next_look(), std::nullopt);
}

}  // namespace
}  // namespace outrigger::gang
