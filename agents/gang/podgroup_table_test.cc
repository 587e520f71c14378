// Of the table of kubernetes' TestPodGroupScheduling (1.36) what the agent has a part in: what pods
// are told while they wait, the barrier, the status of PodGroups, evictions. All rows, as questions
// to the planner, are in tests/unit/plan/preemption/podgroup_table_test.cc; that two gangs do not
// deadlock is in gang_test.cc.
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakePod;
using ::testing::SizeIs;

// One node of 4 cpu; gang pg1 wants 3 pods of one cpu and priority 100.
class PodGroupTable : public GangTest {
 protected:
  void StartWith(std::string_view preempt = "false") {
    Nodes(1);
    PutGroup("another", false);  // PodGroups are served
    Start({{"scheduler-lease", "none"}, {"write-status", "true"}, {"preempt", preempt}});
    Await([&] { return FilterStatus(MakePod("probe")).ok(); });
  }
  void PutGroup(const std::string& name, bool basic) {
    PodGroup group;
    group.dialect = Dialect::kUpstream;
    group.namespace_ = "default";
    group.name = name;
    group.uid = "uid-" + name;
    group.min_member = basic ? 0 : 3;
    group.independent = basic;
    cluster_.Put(group);
  }
  void PutMembers(int from, int to) {
    for (int i = from; i <= to; ++i) {
      Pod pod = MakePod(fmt::format("p{}", i)).Requests({{"cpu", "1"}});
      pod.scheduling_group = "pg1";
      pod.priority = 100;
      cluster_.Put(pod);
    }
  }
  void PutBlocker(const std::string& cpu, int32_t priority) {
    Pod pod = MakePod("blocker").Requests({{"cpu", cpu}});
    pod.priority = priority;
    pod.node_name = "n0";
    cluster_.Put(pod);
  }
  void AwaitReason(const std::string& pod, const std::string& why) {
    const std::string reason =
        fmt::format("gang default/pg1 waits: {} (see outrigger explain gang)", why);
    Await([&] { return Reason(pod) == reason; });
  }
  // Upstream's conditions: True and Scheduled is phase Scheduled, False and Unschedulable is
  // Pending.
  void AwaitPhase(const std::string& phase, const std::string& reason = "") {
    Await([&] {
      const PodGroupStatus status = cluster_.statuses()["pg1"];
      return status.phase == phase && status.reason == reason;
    });
  }
  void ExpectScheduled(int from, int to) {
    const size_t before = calls_.size();
    for (int i = from; i <= to; ++i) Schedule(fmt::format("p{}", i));
    for (size_t i = before; i < calls_.size(); ++i) EXPECT_TRUE(Result(i).ok()) << "call " << i;
    for (int i = from; i <= to; ++i) {
      EXPECT_EQ(cluster_.Get(fmt::format("p{}", i)).node_name, "n0");
    }
  }
  std::vector<NodeVictims> Preempt(const std::string& pod) {
    const Pod asks = cluster_.Get(pod);
    const std::vector<NodeVictims> candidates = {{"n0", {cluster_.Get("blocker").uid}, 0}};
    std::vector<NodeVictims> chosen;
    EXPECT_TRUE(dynamic_cast<Preempter&>(agent_->agent())
                    .Preempt({.pod = asks, .candidates = candidates}, &chosen)
                    .ok());
    return chosen;
  }
};

TEST_F(PodGroupTable, GangSchedulesWhenPodGroupAndResourcesAreAvailable) {
  StartWith();
  PutGroup("pg1", false);
  PutMembers(1, 3);
  ExpectScheduled(1, 3);
  AwaitPhase("Scheduled");
}

TEST_F(PodGroupTable, GangWaitsForQuorumToStartThenSchedules) {
  StartWith();
  PutGroup("pg1", false);
  PutMembers(1, 2);
  for (const char* pod : {"p1", "p2"}) AwaitReason(pod, "members");
  PutMembers(3, 3);
  ExpectScheduled(1, 3);
}

TEST_F(PodGroupTable, GangWaitsForPodGroupThenForResourcesThenSchedules) {
  StartWith();
  PutBlocker("2", 100);
  PutMembers(1, 3);
  for (const char* pod : {"p1", "p2", "p3"}) AwaitReason(pod, "no PodGroup");
  PutGroup("pg1", false);
  for (const char* pod : {"p1", "p2", "p3"}) AwaitReason(pod, "cpu");
  AwaitPhase("Pending", "cpu");
  cluster_.RemovePod("blocker");
  ExpectScheduled(1, 3);
  AwaitPhase("Scheduled");
}

TEST_F(PodGroupTable, MinCountIsScheduledButOnePodRemainsUnschedulableUntilResourcesAreReleased) {
  StartWith();
  PutBlocker("1", 100);
  PutGroup("pg1", false);
  PutMembers(1, 4);
  AwaitReason("p4", "room for more than its minimum");
  ExpectScheduled(1, 3);
  AwaitReason("p4", "room for more than its minimum");
  cluster_.RemovePod("blocker");
  ExpectScheduled(4, 4);
}

TEST_F(PodGroupTable, GangSchedulesWithPreemption) {
  StartWith("true");
  PutBlocker("2", 10);
  PutGroup("pg1", false);
  PutMembers(1, 4);
  Await([&] { return !cluster_.evictions().empty(); });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("blocker"));
  EXPECT_THAT(Preempt("p1"), IsEmpty()) << "kube-scheduler evicts nobody for a gang";
  cluster_.RemovePod("blocker");
  ExpectScheduled(1, 4);
  AwaitPhase("Scheduled");
}

TEST_F(PodGroupTable, BasicGroupSchedulesWithoutGangEnforcement) {
  StartWith();
  PutGroup("pg1", true);
  PutMembers(1, 1);
  ExpectScheduled(1, 1);
  PutMembers(2, 3);
  ExpectScheduled(2, 3);
}

TEST_F(PodGroupTable, BasicGroupSchedulesWithPreemption) {
  StartWith();
  PutBlocker("2", 10);
  PutGroup("pg1", true);
  PutMembers(1, 4);
  ExpectScheduled(1, 2);
  for (const char* pod : {"p3", "p4"}) {
    EXPECT_THAT(Preempt(pod), SizeIs(1)) << "as for any single pod";
  }
  cluster_.RemovePod("blocker");
  ExpectScheduled(3, 4);
}

}  // namespace
}  // namespace outrigger::gang
