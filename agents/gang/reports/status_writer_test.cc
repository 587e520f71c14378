#include "reports/status_writer.h"

#include <atomic>

#include "desk_testing.h"
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

struct Row {
  std::string name;
  int64_t bound = 0;
  PhaseCounts counts;
  bool fits = false;
  std::string phase;
};

class Phase : public ::testing::TestWithParam<Row> {};

TEST_P(Phase, OfAGroupOfThree) {
  const Row& row = GetParam();
  plan::GroupState group;
  group.minimum = 3;
  group.bound = row.bound;
  group.existing = std::max<int64_t>(row.bound, 3 - row.counts.succeeded - row.counts.failed);
  BoardUnit unit;
  unit.fits = row.fits;
  const PodGroupStatus status =
      StatusOf(group, row.counts, row.bound < 3 ? &unit : nullptr, "figures");
  EXPECT_EQ(status.phase, row.phase);
  EXPECT_EQ(status.scheduled, row.bound);
}

INSTANTIATE_TEST_SUITE_P(
    PodGroupStatus, Phase,
    ::testing::Values(Row{"NoPlace", 0, {}, false, "Pending"},
                      Row{"PlacesLeased", 0, {}, true, "Scheduling"},
                      Row{"BoundInPart", 2, {}, false, "Scheduling"},
                      Row{"Bound", 3, {}, false, "Scheduled"},
                      Row{"SomeRun", 3, {2, 0, 0}, false, "Scheduled"},
                      Row{"Runs", 3, {3, 0, 0}, false, "Running"},
                      Row{"SomeAreDone", 2, {2, 1, 0}, false, "Running"},
                      Row{"Done", 0, {0, 3, 0}, false, "Finished"},
                      Row{"OneFailed", 0, {0, 0, 1}, false, "Failed"},
                      Row{"OneFailedWasReplaced", 3, {3, 0, 1}, false, "Running"}),
    [](const auto& row) { return row.param.name; });

TEST(PodGroupStatus, SaysWhyItWaits) {
  plan::GroupState group;
  group.minimum = 3;
  group.existing = 3;
  BoardUnit unit;
  unit.word = "cpu";
  const PodGroupStatus waits = StatusOf(group, {}, &unit, "3 members need cpu 8 each, 2 fit");
  EXPECT_EQ(waits.reason, "cpu");
  EXPECT_EQ(waits.message, "3 members need cpu 8 each, 2 fit");
  group.cause = plan::GroupCause::kTooFewMembers;
  group.text = "2 of 3 members exist";
  const PodGroupStatus lacks = StatusOf(group, {}, nullptr, "");
  EXPECT_EQ(lacks.reason, "members");
  EXPECT_EQ(lacks.message, "2 of 3 members exist");
  unit.fits = true;
  group.cause = plan::GroupCause::kNone;
  EXPECT_EQ(StatusOf(group, {}, &unit, "old").message, "");
}

class StatusTest : public GangTest {
 protected:
  void PutGroup(int members) {
    PodGroup group;
    group.dialect = Dialect::kSchedulerPlugins;
    group.namespace_ = "default";
    group.name = "train";
    group.uid = "uid-train";
    group.min_member = 2;
    cluster_.Put(group);
    for (int i = 0; i < members; ++i) {
      cluster_.Put(testing::MakePod(fmt::format("train-{}", i))
                       .Label("scheduling.x-k8s.io/pod-group", "train")
                       .Requests({{"cpu", "3"}}));
    }
  }
  PodGroupStatus Status() { return cluster_.statuses()["train"]; }
};

TEST_F(StatusTest, FollowsAGang) {
  Nodes(1);
  PutGroup(1);
  Start({{"scheduler-lease", "none"}, {"write-status", "true"}});
  Await([&] { return Status().message == "1 of 2 members exist"; });
  EXPECT_EQ(Status().phase, "Pending");
  PutGroup(2);
  Await([&] { return Status().reason == "cpu"; });
  cluster_.Put(testing::MakeNode("more"));
  Await([&] { return Status().phase == "Scheduling"; });
  for (const char* pod : {"train-0", "train-1"}) {
    cluster_.Change(pod, [](Pod* changed) {
      changed->node_name = "more";
      changed->phase = "Running";
    });
  }
  Await([&] { return Status().phase == "Running"; });
  EXPECT_EQ(Status().running, 2);
  EXPECT_EQ(Status().scheduled, 2);
}

// What is in the queue then is the other one's to say.
TEST_F(StatusTest, IsWrittenByWhoIsInCharge) {
  std::atomic<bool> may_write = false;
  std::atomic<int> asked = 0;
  std::atomic<int64_t> now = 1;
  StatusWriter writer(
      &cluster_, [](std::string_view) {},
      {.enabled = true,
       .now = [&] { return Time() + std::chrono::hours(now); },
       .may_write = [&](const CallLimits& limits) -> absl::StatusOr<desk::WritePermit> {
         ++asked;
         if (!may_write) return absl::UnavailableError("not in charge");
         return desk::WritePermit{.limits = limits};
       }});
  MakeBoard board;
  board.AddGang("train", 2, 2);
  board.Change("train", [](plan::GroupState* group) {
    group->key = {Dialect::kSchedulerPlugins, "default", "train", "uid-train"};
  });
  const auto made = board.Make();
  const auto plan = [&] { writer.OnPlan(*made, {}, [](const plan::UnitKey&) { return ""; }); };
  writer.Start();
  plan();
  Await([&] { return asked == 1; });
  EXPECT_TRUE(cluster_.statuses().empty());
  may_write = true;
  // The thread may not have noted yet that it was not written.
  Await([&] {
    ++now;
    plan();
    return !cluster_.statuses().empty();
  });
  EXPECT_EQ(Status().phase, "Pending");
}

}  // namespace
}  // namespace outrigger::gang
