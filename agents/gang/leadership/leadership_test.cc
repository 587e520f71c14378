#include "leadership/leadership.h"

#include <atomic>

#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;
using ::testing::Pair;

class ChargeTest : public ::testing::Test {
 protected:
  ChargeTest() : charge_(&cluster_, Options(), [this] { ++changes_; }) {}

  static Charge::Options Options() {
    Charge::Options options;
    options.lease_namespace = "kube-system";
    options.lease_name = "kube-scheduler";
    options.host_name = "mine";
    return options;
  }
  std::string AskOf(absl::StatusOr<std::string> holder) {
    cluster_.SetLeaseHolder(std::move(holder));
    const absl::Status status = charge_.Ask({});
    EXPECT_EQ(charge_.Now(), status);
    return std::string(status.message());
  }

  testing::FakeCluster cluster_;
  std::atomic<int> changes_{0};
  Charge charge_;
};

TEST_F(ChargeTest, IsOfTheHostWithWhoseNameTheHolderBegins) {
  for (const char* mine : {"mine_1", "mine_", "mine_other_2"}) EXPECT_EQ(AskOf(mine), "") << mine;
  for (const char* other : {"mine", "mine2_1", "other_mine_1", "other_1"}) {
    EXPECT_THAT(AskOf(other), HasSubstr(fmt::format("is held by {}, not by", other)));
  }
  EXPECT_THAT(AskOf(""), HasSubstr("is held by nobody"));
}

TEST_F(ChargeTest, IsNobodysUntilTheLeaseWasRead) {
  EXPECT_EQ(charge_.Now(), absl::UnavailableError("starting: the Lease kube-system/kube-scheduler "
                                                  "has not been read yet"));
}

TEST_F(ChargeTest, IsNobodysWhileTheLeaseCannotBeRead) {
  EXPECT_EQ(AskOf("mine_1"), "");
  EXPECT_THAT(AskOf(absl::UnavailableError("down")), HasSubstr("cannot be read: down"));
  EXPECT_EQ(charge_.Epoch(), "mine_1") << "nobody else is known to have it";
}

TEST_F(ChargeTest, NamesTheSettingWhereThereIsNoLease) {
  EXPECT_THAT(AskOf(absl::NotFoundError("404")),
              HasSubstr("the Lease kube-system/kube-scheduler does not exist: for a scheduler "
                        "without leader election (leaderElect: false) give the agent "
                        "--gang.scheduler-lease none"));
}

TEST_F(ChargeTest, IsAlwaysOfAnAgentWhoseSchedulerElectsNoLeader) {
  cluster_.SetLeaseHolder("other_1");
  Charge charge(&cluster_, *ReadLeaseName("none"), nullptr);
  EXPECT_EQ(charge.Now(), absl::OkStatus());
  EXPECT_EQ(charge.Ask({}), absl::OkStatus());
}

TEST_F(ChargeTest, EveryHolderIsAnEpoch) {
  AskOf("mine_1");
  EXPECT_EQ(charge_.Epoch(), "mine_1");
  EXPECT_EQ(changes_, 1);
  AskOf("mine_1");
  EXPECT_EQ(changes_, 1) << "nothing has changed";
  AskOf("mine_2");
  EXPECT_EQ(charge_.Epoch(), "mine_2");
  EXPECT_EQ(changes_, 2);
}

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

TEST_F(ChargeTest, WarnsOnceOfALeaseThatDoesNotExist) {
  std::vector<std::string> warnings;
  Charge charge(
      &cluster_, Options(), [] {}, [&](std::string_view line) { warnings.emplace_back(line); });
  const auto ask = [&](absl::StatusOr<std::string> holder) {
    cluster_.SetLeaseHolder(std::move(holder));
    (void)charge.Ask({});
    return warnings.size();
  };
  EXPECT_EQ(ask(absl::UnavailableError("down")), 0U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 1U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 1U);
  EXPECT_EQ(ask(absl::UnavailableError("down")), 1U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 1U) << "it was not seen since";
  EXPECT_EQ(ask("mine_1"), 1U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 2U) << "it was deleted";
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[0], HasSubstr("the Lease kube-system/kube-scheduler does not exist"));
  EXPECT_THAT(warnings[0], HasSubstr("--gang.scheduler-lease none"));
  EXPECT_THAT(warnings[0], HasSubstr("every pod of the scheduler fails"));
}

TEST_F(InCharge, TheAgentWarnsAtItsStartWhereThereIsNoLease) {
  cluster_.SetLeaseHolder(absl::NotFoundError("404"));
  Start({{"scheduler-lease", "jobs/mine"}, {"host-name", "mine"}});
  Await([&] { return !agent_->warnings().empty(); });
  EXPECT_THAT(agent_->warnings(),
              ElementsAre(HasSubstr("the Lease jobs/mine does not exist: for a scheduler without "
                                    "leader election (leaderElect: false) give the agent "
                                    "--gang.scheduler-lease none")));
}

TEST_F(InCharge, OnlyWhoIsInChargeActs) {
  Nodes(1);
  cluster_.Put(Member("train", 0, 1));
  StartHeldBy("other_1234");
  Await([&] {
    return FilterStatus(MakePod("a")).message().find("not in charge") != std::string::npos;
  });
  cluster_.SetLeaseHolder("mine_5678");
  Await([&] { return FilterStatus(MakePod("a")).ok(); });
  EXPECT_THAT(Passing("train-0"), ElementsAre("n0"));
}

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

TEST_F(InCharge, TheLeaseIsReadAgainBeforeAGangIsBound) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartInCharge();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  const std::string place = Passing("train-1").at(0);
  cluster_.SetLeaseHolder("other_1");
  Bind("train-1", place);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(std::string(Result(i).message()), HasSubstr("not in charge"));
  }
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
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
