// The agent as the program runs it, on a cluster in memory.
#include <thread>

#include "agent_under_test.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "outrigger/agent/page.h"

namespace outrigger::qos {

AgentFactory MakeFactory();

namespace {

using testing::AgentUnderTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using ::testing::SizeIs;

constexpr auto kPatience = std::chrono::seconds(60);

Pod Queued(const std::string& name, int64_t group_priority, const std::string& cpu = "3") {
  return MakePod(name)
      .Label("groupPriority", fmt::format("{}", group_priority))
      .Requests({{"cpu", cpu}});
}

class QosTest : public ::testing::Test {
 protected:
  ~QosTest() override {
    if (agent_ != nullptr) dynamic_cast<Controller&>(agent_->agent()).Stop();
  }
  /// Nodes of 4 cpu.
  void Nodes(int count) {
    for (int i = 0; i < count; ++i) nodes_.push_back(MakeNode(fmt::format("n{}", i)));
    for (const Node& node : nodes_) cluster_.Put(node);
  }
  void PutBound(Pod pod, const std::string& node) {
    pod.node_name = node;
    cluster_.Put(pod);
  }
  void Start(AgentUnderTest::Texts settings = {{"scheduler-lease", "none"}}) {
    agent_ = std::make_unique<AgentUnderTest>(MakeFactory(), settings, &cluster_);
    ASSERT_TRUE(dynamic_cast<Controller&>(agent_->agent()).Start().ok());
    Await([&] {
      const OwnedRequest request(MakePod("probe"), nodes_);
      std::vector<Verdict> verdicts(nodes_.size());
      return dynamic_cast<Filterer&>(agent_->agent()).Filter(*request, verdicts).ok();
    });
  }
  std::vector<Verdict> Filter(const Pod& pod) { return agent_->Filter(OwnedRequest(pod, nodes_)); }
  std::vector<std::string> Passing(const std::string& pod) {
    std::vector<std::string> names;
    const std::vector<Verdict> verdicts = Filter(cluster_.Get(pod));
    for (size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i].fits()) names.push_back(nodes_[i].name);
    }
    return names;
  }
  std::string Reason(const std::string& pod) {
    for (const Verdict& verdict : Filter(cluster_.Get(pod))) {
      if (!verdict.fits() && !verdict.reason().empty()) return verdict.reason();
    }
    return "";
  }
  std::vector<std::string> Preempt(const std::string& pod) {
    const Pod asks = cluster_.Get(pod);
    const std::vector<NodeVictims> candidates = {{"n0", {cluster_.Get("victim").uid}, 0}};
    std::vector<NodeVictims> chosen;
    EXPECT_TRUE(dynamic_cast<Preempter&>(agent_->agent())
                    .Preempt({.pod = asks, .candidates = candidates}, &chosen)
                    .ok());
    std::vector<std::string> names;
    for (const NodeVictims& node : chosen) names.push_back(node.node);
    return names;
  }
  template <typename Condition>
  void Await(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "it does not come true";
      std::this_thread::yield();
    }
  }

  std::vector<Node> nodes_;
  testing::FakeCluster cluster_;
  std::unique_ptr<AgentUnderTest> agent_;
};

TEST_F(QosTest, ThePodWithTheLargerGroupPriorityGoesFirst) {
  Nodes(1);
  cluster_.Put(Queued("green", 1));
  cluster_.Put(Queued("red", 10));
  Start();
  EXPECT_THAT(Passing("red"), ElementsAre("n0"));
  EXPECT_THAT(Passing("green"), IsEmpty());
  EXPECT_EQ(Reason("green"),
            "waits for pod default/red with groupPriority 10 (see outrigger explain queue)");
}

// As in the original plugin, which counts members. Agent gang starts them together.
TEST_F(QosTest, OfAGroupThatHasEnoughMembersThoseStartForWhichThereIsRoom) {
  Nodes(2);
  const auto member = [](int index) {
    return MakePod(fmt::format("blue-{}", index))
        .Label("podGroup", "blue")
        .Label("minAvailable", "3")
        .Requests({{"cpu", "3"}});
  };
  for (int i = 0; i < 2; ++i) cluster_.Put(member(i));
  Start();
  EXPECT_EQ(Reason("blue-0"),
            "gang default/blue waits: 2 of 3 members exist (see outrigger explain gang)");
  cluster_.Put(member(2));
  Await([&] {
    size_t pass = 0;
    for (int i = 0; i < 3; ++i) pass += Passing(fmt::format("blue-{}", i)).size();
    return pass == 2;
  });
}

TEST_F(QosTest, AmongEqualsTheBetterQosClassGoesFirst) {
  Nodes(1);
  Pod hello = MakePod("hello").Requests({{"cpu", "3"}, {"memory", "1Gi"}});
  Pod hi = hello;
  hi.name = "hi";
  hi.uid = "uid-hi";
  hello.qos_class = "Burstable";
  hi.qos_class = "Guaranteed";
  cluster_.Put(hello);
  cluster_.Put(hi);
  Start();
  EXPECT_THAT(Passing("hi"), ElementsAre("n0"));
  EXPECT_THAT(Passing("hello"), IsEmpty());
}

TEST_F(QosTest, PriorityStandsBetweenUnlessItIsLeftOut) {
  Nodes(1);
  Pod important = Queued("a-burstable", 0);
  important.priority = 100;
  important.qos_class = "Burstable";
  Pod guaranteed = Queued("b-guaranteed", 0);
  guaranteed.qos_class = "Guaranteed";
  cluster_.Put(important);
  cluster_.Put(guaranteed);
  Start();
  EXPECT_THAT(Passing("a-burstable"), ElementsAre("n0"));
  dynamic_cast<Controller&>(agent_->agent()).Stop();
  Start({{"scheduler-lease", "none"}, {"pod-priority", "false"}});
  EXPECT_THAT(Passing("a-burstable"), IsEmpty());
  EXPECT_THAT(Passing("b-guaranteed"), ElementsAre("n0"));
}

// Which of these it takes is kube-scheduler's choice.
TEST_F(QosTest, EachPodForWhichThereIsRoomPassesWhereNoneBeforeItLosesItsPlace) {
  Nodes(2);
  cluster_.Put(Queued("red", 10));
  cluster_.Put(Queued("yellow", 5));
  cluster_.Put(Queued("green", 1));
  Start();
  EXPECT_THAT(Passing("red"), ElementsAre("n0", "n1"));
  EXPECT_THAT(Passing("yellow"), SizeIs(1));
  EXPECT_THAT(Passing("green"), IsEmpty());
}

TEST_F(QosTest, AUnitThatCannotRunHoldsUpNothing) {
  Nodes(1);
  cluster_.Put(Queued("huge", 10, "64"));
  cluster_.Put(Queued("small", 1));
  Start();
  EXPECT_THAT(Passing("small"), ElementsAre("n0"));
  EXPECT_EQ(Reason("huge"), "first in the queue, waits: cpu (see outrigger explain queue)");
}

// The scheduler counts what it took itself, and offers no node that is full by that.
TEST_F(QosTest, TheFirstOfTheQueueWaitsForNoPodWhoseAnswerWasLost) {
  Nodes(1);
  cluster_.Put(Queued("green", 1));
  Start();
  EXPECT_THAT(Passing("green"), ElementsAre("n0")) << "and the answer is lost";
  cluster_.Put(Queued("red", 10));
  const auto began = std::chrono::steady_clock::now();
  Await([&] { return !Passing("red").empty(); });
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST_F(QosTest, APodThatGetsAPlaceWhileItSleepsIsNominated) {
  Nodes(1);
  PutBound(MakePod("runs").Requests({{"cpu", "3"}}), "n0");
  cluster_.Put(Queued("red", 10));
  cluster_.Put(Queued("green", 1));
  Start();
  EXPECT_THAT(Passing("red"), IsEmpty());
  EXPECT_THAT(Passing("green"), IsEmpty());
  cluster_.RemovePod("runs");
  Await([&] { return !cluster_.nominations().empty(); });
  EXPECT_THAT(cluster_.nominations(),
              ElementsAre(std::pair<std::string, std::string>("red", "n0")));
}

TEST_F(QosTest, MembersOfAGroupThatLacksSomeWaitAndTheReasonCounts) {
  Nodes(3);
  for (int i = 0; i < 2; ++i) {
    cluster_.Put(MakePod(fmt::format("g-{}", i))
                     .Label("podGroup", "g")
                     .Label("minAvailable", "3")
                     .Requests({{"cpu", "1"}}));
  }
  Start();
  EXPECT_THAT(Passing("g-0"), IsEmpty());
  EXPECT_THAT(Reason("g-0"), HasSubstr("gang default/g waits: 2 of 3 members exist"));
}

TEST_F(QosTest, NothingIsEvictedForAPodWhileOneBeforeItWaits) {
  Nodes(1);
  PutBound(MakePod("victim").Requests({{"cpu", "3"}}), "n0");
  cluster_.Put(Queued("first", 10));
  Pod late = Queued("late", 1);
  late.priority = 1000;
  cluster_.Put(late);
  Start();
  EXPECT_THAT(Preempt("late"), IsEmpty());
  EXPECT_THAT(Preempt("first"), ElementsAre("n0"));
}

// With more members it may start; until then a place would be of no use to it.
TEST_F(QosTest, NothingIsEvictedForAMemberOfAGroupThatLacksSome) {
  Nodes(1);
  PutBound(MakePod("victim").Requests({{"cpu", "3"}}), "n0");
  for (int i = 0; i < 2; ++i) {
    Pod member = MakePod(fmt::format("g-{}", i))
                     .Label("podGroup", "g")
                     .Label("minAvailable", "3")
                     .Requests({{"cpu", "1"}});
    member.priority = 1000;
    cluster_.Put(member);
  }
  Start();
  EXPECT_THAT(Preempt("g-0"), IsEmpty());
  EXPECT_THAT(Preempt("g-1"), IsEmpty());
}

TEST_F(QosTest, APodThatTakesThePlaceOfAnEarlierOneIsAnInversion) {
  Nodes(1);
  cluster_.Put(Queued("red", 10));
  cluster_.Put(Queued("green", 1));
  Start();
  Await([&] { return Passing("red") == std::vector<std::string>{"n0"}; });
  PutBound(Queued("green", 1), "n0");  // by a scheduler that has not asked
  Await([&] {
    const std::vector<std::string> log = agent_->log();
    return std::any_of(log.begin(), log.end(), [](const std::string& line) {
      return line.find("pod default/green was bound to n0 ahead of") != std::string::npos;
    });
  });
}

TEST_F(QosTest, APodThatTakesWhatNoneBeforeItCouldUseIsNoInversion) {
  Nodes(2);
  cluster_.Put(Queued("red", 10));
  cluster_.Put(Queued("green", 1));
  Start();
  Await([&] { return !Passing("red").empty() && !Passing("green").empty(); });
  PutBound(Queued("green", 1), "n0");
  Await([&] { return cluster_.Take()->snapshot->PendingPodCount() == 1; });
  Await([&] { return !Passing("red").empty(); });
  for (const std::string& line : agent_->log())
    EXPECT_THAT(line, ::testing::Not(HasSubstr("was bound to")));
}

// Meanwhile pods may have come and gone: what is on a node then does not say which was first.
TEST_F(QosTest, WhatIsBoundWhileTheViewIsStaleIsNoInversion) {
  Nodes(1);
  cluster_.Put(Queued("red", 10));
  cluster_.Put(Queued("green", 1));
  Start();
  Await([&] { return Passing("red") == std::vector<std::string>{"n0"}; });
  cluster_.SetUsable(absl::UnavailableError("the view is stale"));
  Await([&] {
    const OwnedRequest request(MakePod("probe"), nodes_);
    std::vector<Verdict> verdicts(nodes_.size());
    return !dynamic_cast<Filterer&>(agent_->agent()).Filter(*request, verdicts).ok();
  });
  PutBound(Queued("green", 1), "n0");
  cluster_.SetUsable(absl::OkStatus());
  Await([&] {
    const OwnedRequest request(cluster_.Get("red"), nodes_);
    std::vector<Verdict> verdicts(nodes_.size());
    return dynamic_cast<Filterer&>(agent_->agent()).Filter(*request, verdicts).ok() &&
           !verdicts[0].fits();
  });
  dynamic_cast<Controller&>(agent_->agent()).Stop();  // the round is over then
  for (const std::string& line : agent_->log())
    EXPECT_THAT(line, ::testing::Not(HasSubstr("was bound to")));
}

TEST_F(QosTest, ThePageShowsTheQueueInItsOrder) {
  Nodes(1);
  cluster_.Put(Queued("green", 1));
  Pod red = Queued("red", 10);
  red.priority = 7;
  red.creation_time = 1'700'000'000;
  red.qos_class = "Guaranteed";
  cluster_.Put(red);
  Start();
  const auto& source = dynamic_cast<PageSource&>(agent_->agent());
  const PageSpec page = source.Pages()[0];
  PageTable table(page.columns, 100);
  ASSERT_TRUE(source.FillPage(page.name, &table).ok());
  EXPECT_EQ(table.fault(), "");
  const PageCell none;
  EXPECT_THAT(
      table.rows(),
      ElementsAre(std::vector<PageCell>{int64_t{1}, "default/red", "pod", int64_t{10}, int64_t{7},
                                        "Guaranteed", "2023-11-14T22:13:20Z", "has a place", none,
                                        none, int64_t{1}, int64_t{0}, int64_t{1}, none},
                  std::vector<PageCell>{
                      int64_t{2}, "default/green", "pod", int64_t{1}, int64_t{0}, "Burstable", none,
                      "waits", "default/red", "cpu", int64_t{1}, int64_t{0}, int64_t{1},
                      "too little cpu is left on the nodes that take it; it asks for 3"}));
}

TEST_F(QosTest, ThePageIsUnavailableBeforeTheFirstPlan) {
  const AgentUnderTest agent(MakeFactory(), {{"scheduler-lease", "none"}}, &cluster_);
  const auto& source = dynamic_cast<const PageSource&>(agent.agent());
  PageTable table(source.Pages()[0].columns, 100);
  EXPECT_TRUE(absl::IsUnavailable(source.FillPage("queue", &table)));
}

}  // namespace
}  // namespace outrigger::qos
