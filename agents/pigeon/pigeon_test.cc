#include "pigeon.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "agent_under_test.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gmock/gmock.h"

namespace outrigger::pigeon {
namespace {

using testing::AgentUnderTest;
using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;

MakeNode NodeOf(std::string_view name, std::string_view cpu, std::string_view memory = "16Gi") {
  return MakeNode(name).Allocatable("cpu", cpu).Allocatable("memory", memory);
}

Pod PodOn(std::string_view node, std::string_view name, std::string_view cpu) {
  Pod pod = MakePod(name).Requests({{"cpu", cpu}, {"memory", "1Gi"}});
  pod.node_name = node;
  return pod;
}

Pod Asking(std::string_view cpu, std::string_view memory = "64Mi", std::string_view name = "new") {
  return MakePod(name).Requests({{"cpu", cpu}, {"memory", memory}});
}

std::string FirstReason(const AgentUnderTest& agent, const OwnedRequest& request) {
  return agent.Filter(request)[0].reason();
}

/// A cluster of three nodes of 4 cpu, one of them busy.
class PigeonInACluster : public ::testing::Test {
 protected:
  PigeonInACluster() {
    for (const char* name : {"a", "b", "c"}) cluster_.Put(NodeOf(name, "4"));
    cluster_.Put(PodOn("a", "busy", "3"));
  }
  AgentUnderTest Agent(AgentUnderTest::Texts settings = {}) {
    return AgentUnderTest(MakeFactory(), settings, &cluster_);
  }
  OwnedRequest Request(const Pod& pod) const {
    return OwnedRequest(pod, {NodeOf("a", "4"), NodeOf("b", "4"), NodeOf("c", "4")});
  }

  FakeCluster cluster_;
};

TEST_F(PigeonInACluster, FitsWhereWhatIsAskedForIsFree) {
  const AgentUnderTest agent = Agent();
  EXPECT_THAT(agent.Fits(Request(Asking("1"))), ElementsAre(true, true, true)) << "exactly";
  const std::vector<Verdict> verdicts = agent.Filter(Request(Asking("1100m")));
  EXPECT_EQ(verdicts[0].kind(), Verdict::Kind::kRejected);
  EXPECT_EQ(verdicts[0].reason_class(), "does-not-fit");
  EXPECT_EQ(verdicts[0].reason(),
            "cpu: 1100m asked, 1 free; fewer pods or a smaller request would help");
  EXPECT_TRUE(verdicts[1].fits());
}

TEST_F(PigeonInACluster, CallsANodeThatIsTooSmallUnresolvable) {
  const Verdict verdict = Agent().Filter(Request(Asking("5", "20Gi")))[0];
  EXPECT_EQ(verdict.kind(), Verdict::Kind::kUnresolvable);
  EXPECT_EQ(verdict.reason(),
            "cpu: 5 asked, 1 free; memory: 20Gi asked, 15Gi free; a smaller request would help");
}

// As in kube-scheduler, a pod that asks for nothing finds a place on a full node.
TEST_F(PigeonInACluster, KeepsNoPodAwayThatAsksForNothing) {
  cluster_.Put(PodOn("a", "more", "1"));
  EXPECT_THAT(Agent().Fits(Request(MakePod("idle"))), ElementsAre(true, true, true));
}

// All pods are alike, so the nodes are to become so.
TEST_F(PigeonInACluster, SpreadsPodsThatAreAlike) {
  EXPECT_THAT(Agent().Scores(Request(Asking("500m"))), ElementsAre(1, 10, 10));
}

TEST_F(PigeonInACluster, PacksTinyPodsWhereSomeAreHuge) {
  const AgentUnderTest agent = Agent();
  for (int i = 0; i < 60; ++i) {
    const bool huge = i % 20 == 0;
    (void)agent.Scores(
        Request(Asking(huge ? "4" : "10m", huge ? "15Gi" : "16Mi", fmt::format("p{}", i))));
  }
  EXPECT_THAT(agent.Scores(Request(Asking("10m", "16Mi", "tiny"))), ElementsAre(10, 1, 1));
}

TEST_F(PigeonInACluster, CountsAPodOnceInWhateverCallItComes) {
  const AgentUnderTest agent = Agent();
  for (int i = 0; i < 3; ++i) {
    (void)agent.Filter(Request(Asking("500m")));
    (void)agent.Scores(Request(Asking("500m")));
  }
  EXPECT_THAT(agent.Score(Request(Asking("500m")))[0].why.text(), HasSubstr("(1 pods)"));
}

// What fits nowhere is tried again and again, and no node would ever look like it.
TEST_F(PigeonInACluster, CountsAPodOnlyOnceItFitsANode) {
  const AgentUnderTest agent = Agent();
  const OwnedRequest large = Request(Asking("5", "1Gi", "large"));
  const auto counted = [&agent, this] {
    return std::string(agent.Score(Request(Asking("500m", "64Mi", "small")))[1].why.text());
  };
  (void)agent.Filter(large);
  (void)agent.Score(large);
  EXPECT_THAT(counted(), HasSubstr("(1 pods)"));
  cluster_.Put(NodeOf("b", "8"));
  (void)agent.Filter(large);
  (void)agent.Score(large);
  EXPECT_THAT(counted(), HasSubstr("(2 pods)"));
}

// kube-scheduler asks for no scores where one node is left.
TEST_F(PigeonInACluster, CountsInFilterAlone) {
  const AgentUnderTest agent = Agent();
  (void)agent.Filter(Request(Asking("3500m", "1Gi", "large")));
  EXPECT_THAT(agent.Score(Request(Asking("500m")))[1].why.text(), HasSubstr("(2 pods)"));
}

TEST_F(PigeonInACluster, IsNotSpoiltByAPodThatAsksForTheMoon) {
  const auto gammas = [this](bool spoilt) {
    const AgentUnderTest agent = Agent();
    if (spoilt) {
      (void)agent.Filter(Request(Asking("1e30", "1e30", "huge")));
      (void)agent.Score(Request(Asking("1e30", "1e30", "huge")));
    }
    for (int i = 0; i < 3000; ++i) {
      (void)agent.Filter(Request(Asking(i % 3 == 0 ? "2" : "100m", "64Mi", fmt::format("p{}", i))));
    }
    return std::string(agent.Score(Request(Asking("100m")))[1].why.text());
  };
  EXPECT_EQ(gammas(true), gammas(false));
}

TEST_F(PigeonInACluster, ReportsANegativeRequestAndTakesItAsNone) {
  OwnedRequest request = Request(Asking("-1"));
  EXPECT_THAT(Agent().Fits(request), ElementsAre(true, true, true));
  ASSERT_EQ(request.diagnostics().entries.size(), 1U);
  EXPECT_EQ(request.diagnostics().entries[0].field, "requests.cpu");
  EXPECT_EQ(request.diagnostics().entries[0].value, "-1");
}

TEST_F(PigeonInACluster, ExplainsBothGammas) {
  const std::vector<NodeScore> scores = Agent().Score(Request(Asking("1")));
  // Over a, b and c the use of cpu is 1, 0, 0 and that of memory 17/256, 0, 0: all is on one of
  // three.
  EXPECT_EQ(scores[0].why.text(),
            "with the pod here gamma of 3 nodes 1.4142, of the demand 0.0000 (1 pods)");
}

// What changes in the cluster changes the answers, each node by itself.
TEST_F(PigeonInACluster, FollowsPodsAndNodes) {
  const AgentUnderTest agent = Agent();
  EXPECT_THAT(agent.Scores(Request(Asking("500m"))), ElementsAre(1, 10, 10));
  cluster_.RemovePod("busy");
  cluster_.Put(PodOn("c", "elsewhere", "3"));
  EXPECT_THAT(agent.Scores(Request(Asking("500m"))), ElementsAre(10, 10, 1));
  EXPECT_THAT(agent.Fits(Request(Asking("2"))), ElementsAre(true, true, false));
  cluster_.Put(NodeOf("c", "64"));
  EXPECT_THAT(agent.Fits(Request(Asking("2"))), ElementsAre(true, true, true));
  cluster_.RemoveNode("b");
  cluster_.Put(NodeOf("d", "4"));
  EXPECT_THAT(agent.Fits(Request(Asking("2"))), ElementsAre(true, true, true))
      << "b is judged by what the call says of it";
  EXPECT_THAT(agent.Score(Request(Asking("500m")))[0].why.text(), HasSubstr("gamma of 3 nodes"));
}

// Correction: the original took the nodes that had survived filtering for the cluster.
TEST_F(PigeonInACluster, JudgesByAllNodesWhicheverAreOffered) {
  const AgentUnderTest agent = Agent();
  const OwnedRequest one(Asking("500m"), {NodeOf("b", "4")});
  EXPECT_EQ(agent.Score(one)[0].why, agent.Score(Request(Asking("500m")))[1].why.text());
}

TEST_F(PigeonInACluster, LeavesCordonedNodesOutOfTheCluster) {
  cluster_.Put(NodeOf("a", "4").Unschedulable());
  EXPECT_THAT(Agent().Score(Request(Asking("500m")))[1].why.text(), HasSubstr("gamma of 2 nodes"));
}

TEST_F(PigeonInACluster, ReallyCountsGpus) {
  cluster_.Put(NodeOf("a", "4").Allocatable("nvidia.com/gpu", "2"));
  Pod pod = MakePod("gpu").Requests({{"nvidia.com/gpu", "1"}});
  pod.node_name = "a";
  cluster_.Put(pod);
  const OwnedRequest request = Request(MakePod("asks").Requests({{"nvidia.com/gpu", "2"}}));
  EXPECT_THAT(Agent({{"num-resources", "4"}}).Fits(request), ElementsAre(false, false, false));
  EXPECT_THAT(FirstReason(Agent({{"num-resources", "4"}}), request),
              HasSubstr("nvidia.com/gpu: 2 asked, 1 free"));
  EXPECT_THAT(Agent().Fits(request), ElementsAre(true, true, true)) << "it does not count";
}

TEST_F(PigeonInACluster, CountsInitContainersAsKubernetesDoes) {
  const OwnedRequest request =
      Request(MakePod("init").Requests({{"cpu", "100m"}}).AddInitContainer({{"cpu", "2"}}));
  EXPECT_THAT(Agent().Fits(request), ElementsAre(false, true, true));
}

TEST_F(PigeonInACluster, CountsEphemeralStorageInOneUnit) {
  for (const char* name : {"a", "b", "c"}) {
    cluster_.Put(NodeOf(name, "4").Allocatable("ephemeral-storage", "100Gi"));
  }
  const auto asking = [&](std::string_view storage) {
    return Request(MakePod("s").Requests({{"ephemeral-storage", storage}}));
  };
  const AgentUnderTest agent = Agent({{"num-resources", "5"}});
  EXPECT_THAT(agent.Fits(asking("1Gi")), ElementsAre(true, true, true));
  EXPECT_THAT(agent.Fits(asking("101Gi")), ElementsAre(false, false, false));
}

TEST_F(PigeonInACluster, CountsPods) {
  cluster_.Put(NodeOf("a", "4").Allocatable("pods", "1"));
  const AgentUnderTest agent = Agent({{"resources", "pods"}});
  EXPECT_THAT(agent.Fits(Request(Asking("1m"))), ElementsAre(false, true, true));
}

TEST_F(PigeonInACluster, KnowsNothingOfANameAlone) {
  const AgentUnderTest agent = Agent();
  const OwnedRequest request(Asking("500m"), {NodeOf("b", "4"), MakeNode("new").Unknown()});
  EXPECT_THAT(agent.Fits(request), ElementsAre(true, true));
  EXPECT_THAT(agent.Scores(request), ElementsAre(10, 0));
}

TEST_F(PigeonInACluster, GivesNoAnswerFromAViewThatIsTooOld) {
  AgentUnderTest agent = Agent();
  cluster_.SetUsable(absl::UnavailableError("pods are 95 s old"));
  const OwnedRequest request = Request(Asking("1"));
  std::vector<Verdict> verdicts(3);
  std::vector<NodeScore> scores(3);
  EXPECT_TRUE(
      absl::IsUnavailable(dynamic_cast<Filterer&>(agent.agent()).Filter(*request, verdicts)));
  EXPECT_TRUE(absl::IsUnavailable(dynamic_cast<Scorer&>(agent.agent()).Score(*request, scores)));
}

// What is bound counts at once, which annotations do not have yet.
TEST_F(PigeonInACluster, TakesTheClustersPodsWhateverAnnotationsSay) {
  cluster_.Put(NodeOf("b", "4").Annotation("requested-cpu", "3500"));
  EXPECT_THAT(Agent().Fits(Request(Asking("2"))), ElementsAre(false, true, true));
  EXPECT_THAT(
      Agent({{"original-arithmetic", "true"}})
          .Fits(OwnedRequest(Asking("2"), {NodeOf("b", "4").Annotation("requested-cpu", "3500")})),
      ElementsAre(false));
}

TEST_F(PigeonInACluster, BalancesAndConsolidatesThePrimeResource) {
  const OwnedRequest request = Request(Asking("500m"));
  EXPECT_THAT(Agent({{"objective", "LOAD_BALANCE"}}).Scores(request), ElementsAre(1, 10, 10));
  EXPECT_THAT(Agent({{"objective", "CONSOLIDATE"}}).Scores(request), ElementsAre(10, 1, 1));
}

// A resource that weighs next to nothing decides nothing.
TEST_F(PigeonInACluster, WeighsResources) {
  cluster_.Put(PodOn("b", "large", "10m"));
  cluster_.Change("large",
                  [](Pod* pod) { pod->containers[0].requests.Set("memory", testing::Q("12Gi")); });
  const OwnedRequest request = Request(Asking("500m", "1Gi"));
  EXPECT_THAT(Agent({{"resources", "cpu,memory=0.001"}}).Scores(request), ElementsAre(1, 10, 10));
  EXPECT_EQ(Agent({{"resources", "cpu=0.001,memory"}}).Scores(request)[1], 1);
}

TEST(PigeonWithoutACluster, TakesTheNodesOfTheCallAndTheirAnnotations) {
  const AgentUnderTest agent(MakeFactory());
  const OwnedRequest request(
      Asking("1"), {NodeOf("a", "4").Annotation("requested-cpu", "3500"),
                    NodeOf("b", "4").Annotation("requested-cpu", "2000.0"), NodeOf("c", "4")});
  EXPECT_THAT(agent.Fits(request), ElementsAre(false, true, true));
  EXPECT_EQ(agent.Scores(request)[0], 0);
}

TEST(PigeonWithoutACluster, ReportsAnnotationsThatCannotBeUsedAndTakesThemAsNone) {
  const AgentUnderTest agent(MakeFactory());
  for (const char* text : {"", "much", "-5", "1e999", "NaN", "Inf", "12.5Gi", " 5"}) {
    OwnedRequest request(Asking("4"), {NodeOf("a", "4").Annotation("requested-cpu", text)});
    EXPECT_THAT(agent.Fits(request), ElementsAre(true)) << text;
    ASSERT_EQ(request.diagnostics().entries.size(), 1U) << text;
    EXPECT_EQ(request.diagnostics().entries[0].field, "requested-cpu");
    EXPECT_EQ(request.diagnostics().entries[0].value, text);
  }
}

TEST_F(PigeonInACluster, ReadsAnnotationsOnlyWhereTheyDecide) {
  EXPECT_TRUE(Agent().agent().Reads().Has(Needs::kClusterPods));
  EXPECT_THAT(Agent().agent().Reads().annotation_keys(), IsEmpty());
  const Needs annotated = Agent({{"original-arithmetic", "true"}}).agent().Reads();
  EXPECT_FALSE(annotated.Has(Needs::kClusterPods));
  EXPECT_THAT(annotated.annotation_keys(), ElementsAre("requested-cpu", "requested-memory"));
  EXPECT_TRUE(AgentUnderTest(MakeFactory()).agent().Reads().Has(Needs::kClusterPods))
      << "the rights of a deployment are asked for without a cluster";
}

// The program makes agents also to ask what they read: where `scheduler-config` writes its pages,
// nothing else may be written.
TEST(PigeonState, SaysNothingBeforeItIsStarted) {
  AgentUnderTest agent(MakeFactory());
  EXPECT_THAT(agent.warnings(), IsEmpty());
  auto& controller = dynamic_cast<Controller&>(agent.agent());
  ASSERT_TRUE(controller.Start().ok());
  controller.Stop();  // by then it has looked for what is stored
  EXPECT_THAT(agent.warnings(), ElementsAre(HasSubstr("in memory")));
}

// The whole way: an agent that is started, a file, and another one after it.
TEST(PigeonState, OutlivesTheProcessInAFile) {
  const std::string path = ::testing::TempDir() + fmt::format("pigeon-{}.state", getpid());
  std::remove(path.c_str());
  for (int run = 1; run <= 2; ++run) {
    AgentUnderTest agent(MakeFactory(), {{"state", path}});
    auto& controller = dynamic_cast<Controller&>(agent.agent());
    ASSERT_TRUE(controller.Start().ok());
    const OwnedRequest request(Asking("1", "1Gi", fmt::format("p{}", run)), {NodeOf("a", "4")});
    EXPECT_THAT(agent.Score(request)[0].why.text(), HasSubstr(fmt::format("({} pods)", run)));
    controller.Stop();
    controller.Stop();
    EXPECT_THAT(agent.warnings(), IsEmpty());
  }
  std::remove(path.c_str());
}

// What an earlier version stored of a pod that no node could take.
TEST(PigeonState, StartsFromNothingWhereMoreThanANodeHasIsStored) {
  const std::string path = ::testing::TempDir() + fmt::format("pigeon-moon-{}.state", getpid());
  std::remove(path.c_str());
  for (const char* cpu : {"1e15", "4"}) {
    AgentUnderTest agent(MakeFactory(), {{"state", path}});
    auto& controller = dynamic_cast<Controller&>(agent.agent());
    ASSERT_TRUE(controller.Start().ok());
    const OwnedRequest request(Asking(cpu, "1Gi", cpu), {NodeOf("a", cpu)});
    EXPECT_THAT(agent.Score(request)[0].why.text(), HasSubstr("(1 pods)"));
    controller.Stop();
    if (std::string_view(cpu) == "4") {
      EXPECT_THAT(agent.warnings(), ElementsAre(HasSubstr("start from nothing")));
    }
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace outrigger::pigeon
