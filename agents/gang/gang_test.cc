// The agent as the program runs it, on a cluster in memory.
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using testing::AgentUnderTest;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// What filter, bind and preempt say, each once.
std::vector<std::string> Errors(AgentUnderTest& agent, const std::vector<Node>& nodes) {
  const OwnedRequest request(MakePod("a"), nodes);
  std::vector<Verdict> verdicts(nodes.size());
  std::vector<NodeVictims> chosen;
  const std::vector<NodeVictims> candidates = {{"n0", {"uid-b"}, 0}};
  Agent& all = agent.agent();
  const BindRequest bind{
      .pod_namespace = "default", .pod_name = "a", .pod_uid = "uid-a", .node = "n0"};
  std::vector<std::string> errors;
  for (const absl::Status& status :
       {dynamic_cast<Filterer&>(all).Filter(*request, verdicts),
        dynamic_cast<Binder&>(all).Bind(bind),
        dynamic_cast<Preempter&>(all).Preempt({.pod = request->pod, .candidates = candidates},
                                              &chosen)}) {
    errors.emplace_back(status.message());
  }
  return errors;
}

TEST_F(GangTest, AnswersEveryCallWithAnErrorBeforeTheFirstPlan) {
  Nodes(1);
  cluster_.Put(MakePod("a"));
  cluster_.SetUsable(absl::UnavailableError("the pods of the cluster are not known yet"));
  // Asked before its thread runs: afterwards the first look at the cluster may come at any moment.
  Make();
  EXPECT_THAT(Errors(*agent_, nodes_), Each("starting: there is no plan yet"));
  ASSERT_TRUE(dynamic_cast<Controller&>(agent_->agent()).Start().ok());
  Await([&] {
    return FilterStatus(MakePod("a")).message() == "the pods of the cluster are not known yet";
  });
  EXPECT_THAT(Errors(*agent_, nodes_), Each("the pods of the cluster are not known yet"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  cluster_.SetUsable(absl::OkStatus());
  Await([&] { return FilterStatus(MakePod("a")).ok(); });
  EXPECT_THAT(Errors(*agent_, nodes_), Each(""));
}

TEST_F(GangTest, AnswersEveryCallWithAnErrorWhileItsViewIsTooOld) {
  Nodes(1);
  cluster_.Put(MakePod("a"));
  StartWithPlan();
  cluster_.SetUsable(absl::UnavailableError("starting: pods are 40 s old"));
  Await([&] { return !FilterStatus(MakePod("a")).ok(); });
  EXPECT_THAT(Errors(*agent_, nodes_), Each("starting: pods are 40 s old"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

// Upstream's "two gangs competing for the same resources shouldn't deadlock", in either order.
TEST_F(GangTest, OfTwoGangsThatDoNotFitTogetherTheOlderIsWholeAndTheOtherHoldsNothing) {
  Nodes(1);
  StartWithPlan();
  for (const bool reversed : {false, true}) {
    const std::string first = reversed ? "b" : "a";
    const std::string second = reversed ? "a" : "b";
    const auto of = [](const std::string& gang, int i) { return fmt::format("{}-{}", gang, i); };
    for (int i = 0; i < 3; ++i) {  // interleaved
      for (const std::string& gang : {second, first}) {
        Pod pod = Member(gang, i, 3, "1");
        pod.uid = fmt::format("uid-{}-{}", pod.name, reversed);
        pod.creation_time = gang == first ? 1 : 2;
        cluster_.Put(pod);
      }
    }
    const std::string why =
        fmt::format("gang default/{} waits: cpu (see outrigger explain gang)", second);
    for (int i = 0; i < 3; ++i) {
      Await([&] { return Passing(of(first, i)).size() == 1; });
      Await([&] { return Reason(of(second, i)) == why; });
    }
    for (const std::string& gang : {first, second}) {
      const size_t before = calls_.size();
      for (int i = 0; i < 3; ++i) Schedule(of(gang, i));
      for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(Result(before + i).ok());
      for (int i = 0; i < 3; ++i) cluster_.RemovePod(of(gang, i));
    }
  }
}

// As in the table of the Spark scheduler: one driver, two executors, and one more executor.
TEST_F(GangTest, AMemberThatReplacesOneThatIsGoneGetsItsPlace) {
  Nodes(1);
  for (int i = 0; i < 4; ++i) {
    Pod pod = Member("app", i, 3, i == 0 ? "2" : "1");
    if (i < 3) pod.node_name = "n0";
    cluster_.Put(pod);
  }
  StartWithPlan();
  Await([&] {
    return Reason("app-3") ==
           "gang default/app waits: room for more members than its minimum (see outrigger explain "
           "gang)";
  });
  cluster_.Change("app-1", [](Pod* pod) { pod->phase = "Succeeded"; });
  Await([&] { return Passing("app-3") == std::vector<std::string>{"n0"}; });
}

TEST_F(GangTest, APodOfAnotherNamespaceIsOfAnotherGangThoughThatHasTheSameName) {
  Nodes(3);
  Pod stranger = Member("train", 1, 2);
  stranger.namespace_ = "elsewhere";
  cluster_.Put(Member("train", 0, 2));
  cluster_.Put(stranger);
  StartWithPlan();
  Await([&] {
    return Reason("train-0") == "gang default/train waits: members (see outrigger explain gang)";
  });
  cluster_.Put(Member("train", 1, 2));
  Await([&] { return Passing("train-0").size() == 1; });
}

TEST_F(GangTest, WhatIsMalformedIsToldOnceHoweverOftenItIsPlanned) {
  Nodes(2);
  for (const char* minimum : {"0", "-1", "99999999999999999999", "two"}) {
    cluster_.Put(MakePod(fmt::format("bad{}", minimum))
                     .Label("podGroup", fmt::format("g{}", minimum))
                     .Label("minAvailable", minimum));
  }
  cluster_.Put(Member("differ", 0, 2));
  cluster_.Put(Member("differ", 1, 1));
  StartWithPlan();
  EXPECT_THAT(Passing("bad0"), SizeIs(2)) << "it is in no group";
  for (int i = 0; i < 5; ++i) {  // plans
    const std::string name = fmt::format("more-{}", i);
    cluster_.Put(Member(name, 0, 1, "0"));
    Await([&] { return Passing(name + "-0").size() == 1; });
  }
  dynamic_cast<Controller&>(agent_->agent()).Stop();
  std::vector<std::string> told;
  for (const std::string& line : agent_->log()) {
    if (line.find("minAvailable") != std::string::npos) told.push_back(line);
  }
  EXPECT_THAT(told, UnorderedElementsAre(
                        HasSubstr("default/g0: label minAvailable of pod bad0 is \"0\""),
                        HasSubstr("default/g-1: label minAvailable of pod bad-1 is \"-1\""),
                        HasSubstr("default/g99999999999999999999: label"),
                        HasSubstr("default/gtwo: label minAvailable of pod badtwo is \"two\""),
                        HasSubstr("default/differ: members have different values")));
}

TEST_F(GangTest, ALabelValueOfFullLengthNamesAGangAsAnyOther) {
  Nodes(1);
  const std::string name(63, 'g');
  cluster_.Put(Member(name, 0, 1));
  StartWithPlan();
  EXPECT_THAT(Passing(name + "-0"), ElementsAre("n0"));
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

TEST_F(GangTest, AGroupOfAVersionThatIsNotKnownSaysWhichUntilAKnownOneIsServed) {
  Nodes(2);
  Pod pod = MakePod("train-0");
  pod.scheduling_group = "train";
  cluster_.Put(pod);
  cluster_.ServeUnknown(Dialect::kUpstream, "v2");
  StartWithPlan();
  Await([&] {
    return Reason("train-0") ==
           "gang default/train waits: the API server serves podgroups.scheduling.k8s.io in version "
           "v2, which is not supported (see outrigger explain gang)";
  });
  PodGroup group;
  group.dialect = Dialect::kUpstream;
  group.namespace_ = "default";
  group.name = "train";
  group.min_member = 1;
  cluster_.Put(group);
  Await([&] { return Passing("train-0").size() == 1; });
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

}  // namespace
}  // namespace outrigger::gang
