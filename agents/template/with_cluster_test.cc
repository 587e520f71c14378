#include "agent_under_test.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"

namespace outrigger::template_with_cluster {

AgentFactory MakeFactory();

namespace {

using testing::AgentUnderTest;
using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::HasSubstr;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;

constexpr const char* kApp = "app.kubernetes.io/name";

Pod PodOf(std::string_view app, std::string_view name, std::string_view node = "") {
  Pod pod = MakePod(name).Label(kApp, app);
  pod.node_name = node;
  return pod;
}

/// A cluster of two nodes, and a pod of application "web" that looks for one.
class TemplateFilter : public ::testing::Test {
 protected:
  TemplateFilter() {
    cluster_.Put(MakeNode("a"));
    cluster_.Put(MakeNode("b"));
  }
  std::vector<bool> Fits(AgentUnderTest::Texts settings = {}) {
    return AgentUnderTest(MakeFactory(), settings, &cluster_).Fits(request_);
  }

  FakeCluster cluster_;
  const OwnedRequest request_{PodOf("web", "new"),
                              {MakeNode("a"), MakeNode("b"), MakeNode("unknown").Unknown()}};
};

TEST_F(TemplateFilter, RejectsNodesThatHaveTheMostPodsAndSaysSo) {
  cluster_.Put(PodOf("web", "web-0", "a"));
  cluster_.Put(PodOf("other", "other-0", "b"));
  const AgentUnderTest agent(MakeFactory(), {}, &cluster_);
  EXPECT_THAT(agent.Fits(request_), ElementsAre(false, true, true));
  const Verdict verdict = agent.Filter(request_)[0];
  EXPECT_EQ(verdict.kind(), Verdict::Kind::kRejected);
  EXPECT_EQ(verdict.reason(),
            "the node has reached the limit of 1 for pods with app.kubernetes.io/name=web");
}

TEST_F(TemplateFilter, KeepsItsReasonWhileTheAnswerIsTheSame) {
  const AgentUnderTest agent(MakeFactory(), {{"most", "2"}}, &cluster_);
  cluster_.Put(PodOf("web", "web-0", "a"));
  cluster_.Put(PodOf("web", "web-1", "a"));
  const std::string reason = agent.Filter(request_)[0].reason();
  cluster_.Put(PodOf("web", "web-2", "a"));
  EXPECT_EQ(agent.Filter(request_)[0].reason(), reason);
}

TEST_F(TemplateFilter, CountsAssumedPodsAndNotFinishedOnes) {
  cluster_.Put(PodOf("web", "web-0"));
  EXPECT_THAT(Fits(), ElementsAre(true, true, true)) << "it has no node yet";
  ASSERT_TRUE(cluster_.Assume({"default", "web-0", "uid-web-0"}, "a").ok());
  EXPECT_THAT(Fits(), ElementsAre(false, true, true));
  cluster_.Forget({"default", "web-0", "uid-web-0"});
  EXPECT_THAT(Fits(), ElementsAre(true, true, true));
  Pod finished = PodOf("web", "web-1", "b");
  finished.phase = "Succeeded";
  cluster_.Put(finished);
  EXPECT_THAT(Fits(), ElementsAre(true, true, true));
}

TEST_F(TemplateFilter, CountsEachNamespaceByItself) {
  Pod pod = PodOf("web", "web-0", "a");
  pod.namespace_ = "elsewhere";
  cluster_.Put(pod);
  EXPECT_THAT(Fits(), ElementsAre(true, true, true));
}

TEST_F(TemplateFilter, LetsPodsWithoutTheLabelGoAnywhere) {
  cluster_.Put(PodOf("web", "web-0", "a"));
  EXPECT_THAT(Fits({{"label", "example.com/team"}}), ElementsAre(true, true, true));
}

TEST_F(TemplateFilter, GivesNoAnswerWhenTheViewIsTooOldOrThereIsNone) {
  std::vector<Verdict> verdicts(3);
  AgentUnderTest agent(MakeFactory(), {}, &cluster_);
  cluster_.SetUsable(absl::UnavailableError("pods are 95 s old"));
  EXPECT_EQ(dynamic_cast<Filterer&>(agent.agent()).Filter(*request_, verdicts).code(),
            absl::StatusCode::kUnavailable);
  AgentUnderTest alone(MakeFactory());
  const absl::Status none = dynamic_cast<Filterer&>(alone.agent()).Filter(*request_, verdicts);
  EXPECT_THAT(std::string(none.message()), HasSubstr("--kubeconfig"));
}

}  // namespace
}  // namespace outrigger::template_with_cluster
