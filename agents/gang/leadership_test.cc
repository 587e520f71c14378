// What the agent does as the scheduler beside it gets and loses its Lease.
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;
using ::testing::Pair;

// The agent with a Lease.
class InCharge : public GangTest {
 protected:
  void StartHeldBy(const std::string& holder) {
    cluster_.SetLeaseHolder(holder);
    Start({{"scheduler-lease", "kube-system/kube-scheduler"}, {"host-name", "mine"}});
  }
  void StartInCharge() {
    StartHeldBy("mine_1");
    Await([&] { return FilterStatus(MakePod("a")).ok(); });
  }
};

TEST_F(InCharge, WhoCeasesToBeInChargeFailsItsWaiters) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartInCharge();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  cluster_.SetLeaseHolder("other_1");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("not in charge"));
}

TEST_F(InCharge, NobodyElseNominatesOrBindsOrWithdraws) {
  Nodes(1);
  Pod member = Member("train", 0, 2);
  member.nominated_node_name = "n0";
  cluster_.Put(member);
  cluster_.Put(MakePod("single"));
  StartHeldBy("other_1");
  Await([&] {
    return FilterStatus(MakePod("a")).message().find("not in charge") != std::string::npos;
  });
  Bind("single", "n0");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("not in charge"));
  EXPECT_THAT(cluster_.nominations(), IsEmpty());
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  cluster_.SetLeaseHolder("mine_1");
  Await([&] { return !cluster_.nominations().empty(); });
  EXPECT_THAT(cluster_.nominations(), ElementsAre(Pair("train-0", "")));
}

TEST_F(InCharge, AnotherSchedulerOfTheSameHostFailsWhoWaitsForTheOneBefore) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartInCharge();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  cluster_.SetLeaseHolder("mine_2");
  EXPECT_EQ(Result(0), absl::AbortedError("another scheduler has taken over"));
  EXPECT_TRUE(FilterStatus(MakePod("a")).ok()) << "it is in charge";
}

TEST_F(InCharge, ALeaseThatCannotBeReadForAMomentFailsNoBarrier) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartInCharge();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  const int before = cluster_.lease_reads();
  cluster_.SetLease(absl::DeadlineExceededError("no answer within 3 s"));
  Await([&] { return cluster_.lease_reads() > before + 2; });  // the loop has seen one of them
  EXPECT_TRUE(FilterStatus(MakePod("a")).ok());
  Schedule("train-1");
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(Result(i), absl::OkStatus());
}

TEST_F(InCharge, AnAgentThatStopsFailsWhoWaits) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartInCharge();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  dynamic_cast<Controller&>(agent_->agent()).Stop();
  EXPECT_EQ(Result(0), absl::AbortedError("the agent is stopping"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

}  // namespace
}  // namespace outrigger::gang
