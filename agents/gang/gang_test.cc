// The agent as the program runs it, on a cluster in memory.
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using testing::AgentUnderTest;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_F(GangTest, AnswersWithAnErrorBeforeTheFirstPlan) {
  Nodes(1);
  cluster_.SetUsable(absl::UnavailableError("the pods of the cluster are not known yet"));
  Start();
  EXPECT_THAT(std::string(FilterStatus(MakePod("a")).message()), HasSubstr("starting"));
  Await([&] {
    return FilterStatus(MakePod("a")).message() == "the pods of the cluster are not known yet";
  });
  cluster_.SetUsable(absl::OkStatus());
  Await([&] { return FilterStatus(MakePod("a")).ok(); });
}

TEST_F(GangTest, PodsWithoutAGroupPassEverywhereWhileNothingIsLeased) {
  Nodes(3);
  cluster_.Put(MakePod("single"));
  StartWithPlan();
  EXPECT_THAT(Passing("single"), ElementsAre("n0", "n1", "n2"));
}

TEST_F(GangTest, AMemberGoesToItsPlaceAndNowhereElse) {
  Nodes(3);
  cluster_.Put(Member("train", 0, 2));
  cluster_.Put(Member("train", 1, 2));
  StartWithPlan();
  std::vector<std::string> places = Passing("train-0");
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_THAT(Passing("train-1"), SizeIs(1));
  EXPECT_NE(Passing("train-1"), places) << "both ask for 3 of 4 cpu";
}

TEST_F(GangTest, AGangThatDoesNotFitIsToldWhyOnOneNodeAndTheRestIsLeftOut) {
  Nodes(3);
  for (int i = 0; i < 4; ++i) cluster_.Put(Member("train", i, 4));
  StartWithPlan();
  Await([&] {
    return Reason("train-0") == "gang default/train waits: cpu (see outrigger explain gang)";
  });
  EXPECT_THAT(Filter("train-0"),
              Contains(::testing::Property(&Verdict::kind, Verdict::Kind::kLeftOut)).Times(2));
}

TEST_F(GangTest, AGangWithoutAllItsMembersSaysSo) {
  Nodes(3);
  cluster_.Put(Member("train", 0, 2));
  StartWithPlan();
  Await([&] {
    return Reason("train-0") == "gang default/train waits: members (see outrigger explain gang)";
  });
}

TEST_F(GangTest, SinglesPassWhereNoLeaseWouldLoseByIt) {
  Nodes(2);
  cluster_.Put(Member("train", 0, 1));
  StartWithPlan();
  const std::string place = Passing("train-0").at(0);
  cluster_.Put(MakePod("large").Requests({{"cpu", "2"}}));
  cluster_.Put(MakePod("small").Requests({{"cpu", "1"}}));
  Await([&] { return Passing("large").size() == 1; });
  EXPECT_THAT(Passing("large"), ElementsAre(place == "n0" ? "n1" : "n0"));
  EXPECT_THAT(Passing("small"), ElementsAre("n0", "n1"));
}

TEST_F(GangTest, ASingleThatComesFirstTakesWhatIsLeasedToAGangBehindIt) {
  Nodes(1);
  cluster_.Put(Member("train", 0, 1));
  StartWithPlan();
  ASSERT_THAT(Passing("train-0"), SizeIs(1));
  Pod urgent = MakePod("urgent").Requests({{"cpu", "2"}});
  urgent.priority = 100;  // and the watch has not shown it
  EXPECT_TRUE(agent_->Fits(OwnedRequest(urgent, nodes_))[0]);
}

TEST_F(GangTest, AllAreBoundTogether) {
  Nodes(3);
  for (int i = 0; i < 3; ++i) cluster_.Put(Member("train", i, 3));
  StartWithPlan();
  Schedule("train-0");
  Schedule("train-1");
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  EXPECT_TRUE(Waits(0) && Waits(1));
  Schedule("train-2");
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(Result(i).ok());
  EXPECT_THAT(cluster_.bindings(), SizeIs(3));
}

TEST_F(GangTest, ASingleIsBoundAtOnce) {
  Nodes(1);
  cluster_.Put(MakePod("single"));
  StartWithPlan();
  Bind("single", "n0");
  EXPECT_TRUE(Result(0).ok());
  EXPECT_THAT(cluster_.bindings(), ElementsAre(Pair("single", "n0")));
}

TEST_F(GangTest, WhoWasRejectedIsNominatedWhenItsGangGetsPlaces) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Await([&] { return !Reason("train-0").empty() && !Reason("train-1").empty(); });
  cluster_.Put(MakeNode("n1"));
  Await([&] { return cluster_.nominations().size() == 2; });
  EXPECT_NE(cluster_.Get("train-0").nominated_node_name,
            cluster_.Get("train-1").nominated_node_name);
}

TEST_F(GangTest, ANominationWithoutAPlaceIsWithdrawn) {
  Nodes(1);
  Pod member = Member("train", 0, 2);
  member.nominated_node_name = "n0";  // of an agent before this one
  cluster_.Put(member);
  StartWithPlan();
  Await([&] { return !cluster_.nominations().empty(); });
  EXPECT_EQ(cluster_.Get("train-0").nominated_node_name, "");
  EXPECT_THAT(cluster_.nominations(), ElementsAre(Pair("train-0", "")));
}

TEST_F(GangTest, ANodeThatTheSchedulerRefusesIsNotOfferedToThePodAgain) {
  Nodes(2);
  cluster_.Put(Member("train", 0, 1));
  StartWithPlan();
  const std::string place = Passing("train-0").at(0);
  const std::string other = place == "n0" ? "n1" : "n0";
  cluster_.Change("train-0", [&](Pod* pod) { pod->nominated_node_name = place; });
  std::erase_if(nodes_, [&](const Node& node) { return node.name == place; });
  Await([&] { return Passing("train-0") == std::vector<std::string>{other}; });
}

TEST_F(GangTest, AWaiterWhosePodIsDeletedFailsAtOnce) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  cluster_.Change("train-0", [](Pod* pod) { pod->being_deleted = true; });
  EXPECT_FALSE(Result(0).ok());
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

TEST_F(GangTest, TheRestOfAGangWhoseNodeIsGoneIsPlannedAgainAndFailsIfItDoesNotFit) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  const std::string place = Passing("train-0").at(0);
  Bind("train-0", place);
  Bind("single-unused", place);  // of a pod that is not there
  EXPECT_FALSE(Result(1).ok());
  EXPECT_TRUE(Waits(0));
  cluster_.RemoveNode(place == "n0" ? "n1" : "n0");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("gang default/train waits: "));
}

TEST_F(GangTest, OnlyWhoIsInChargeActs) {
  Nodes(1);
  cluster_.Put(Member("train", 0, 1));
  cluster_.SetLeaseHolder("other_1234");
  Start({{"scheduler-lease", "kube-system/kube-scheduler"}, {"host-name", "mine"}});
  Await([&] {
    return FilterStatus(MakePod("a")).message().find("not in charge") != std::string::npos;
  });
  cluster_.SetLeaseHolder("mine_5678");
  Await([&] { return FilterStatus(MakePod("a")).ok(); });
  EXPECT_THAT(Passing("train-0"), ElementsAre("n0"));
}

TEST_F(GangTest, WhoCeasesToBeInChargeFailsItsWaiters) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  cluster_.SetLeaseHolder("mine_1");
  Start({{"scheduler-lease", "kube-system/kube-scheduler"}, {"host-name", "mine"}});
  Await([&] { return FilterStatus(MakePod("a")).ok(); });
  Schedule("train-0");
  cluster_.SetLeaseHolder("other_1");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("not in charge"));
}

TEST_F(GangTest, SaysInAnEventWhatIsShortThoughNobodyAsks) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  cluster_.Put(Member("half", 0, 2));
  StartWithPlan();
  Await([&] { return cluster_.events().size() == 2; });
  std::vector<std::string> notes;
  for (const ClusterEvent& event : cluster_.events()) {
    EXPECT_EQ(event.reason, "GangWaiting");
    EXPECT_EQ(event.kind, "Pod");
    notes.push_back(event.name + ": " + event.note);
  }
  EXPECT_THAT(notes, UnorderedElementsAre(
                         "train-0: gang default/train waits: 2 members need cpu 3 each, 1 fits; 1 "
                         "more node with cpu 3 free would do",
                         "half-0: gang default/half waits: 1 of 2 members exist"));
}

class PreemptTest : public GangTest {
 protected:
  std::vector<NodeVictims> Preempt(const Pod& pod, const std::vector<NodeVictims>& candidates) {
    std::vector<NodeVictims> chosen;
    EXPECT_TRUE(dynamic_cast<Preempter&>(agent_->agent())
                    .Preempt({.pod = pod, .candidates = candidates}, &chosen)
                    .ok());
    return chosen;
  }
};

TEST_F(PreemptTest, MembersOfGangsEvictNobody) {
  Nodes(1);
  StartWithPlan();
  EXPECT_THAT(Preempt(Member("train", 0, 1), {{"n0", {"uid-a"}, 0}}), IsEmpty());
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {"uid-a"}, 0}}), SizeIs(1));
}

TEST_F(PreemptTest, AGangIsNotCutBelowItsMinimum) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) {
    Pod pod = Member("train", i, 2);
    pod.node_name = nodes_[static_cast<size_t>(i)].name;
    cluster_.Put(pod);
  }
  StartWithPlan();
  const std::string first = cluster_.Get("train-0").uid;
  const std::string second = cluster_.Get("train-1").uid;
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {first}, 0}}), IsEmpty());
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {first, second}, 0}}), SizeIs(1));
}

TEST_F(PreemptTest, WhoWaitsIsNotEvictedButItsBarrierFails) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  // Until its call has come it is a victim like any.
  Await([&] {
    return Preempt(MakePod("urgent"), {{"n0", {cluster_.Get("train-0").uid}, 0}}).empty();
  });
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("default/urgent of higher priority"));
}

TEST(GangSettings, ThatAreWrongAreRefused) {
  const auto make = [](AgentUnderTest::Texts texts) {
    const AgentFactory factory = MakeFactory();
    return std::string(
        factory.make({.name = "gang"}, testing::SettingsFrom(factory, texts)).status().message());
  };
  EXPECT_THAT(make({{"scheduler-lease", "kube-scheduler"}}), HasSubstr("NAMESPACE/NAME"));
  EXPECT_THAT(make({{"scheduler-names", ","}}), HasSubstr("scheduler-names"));
}

}  // namespace
}  // namespace outrigger::gang
