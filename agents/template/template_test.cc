#include "agent_under_test.h"
#include "gmock/gmock.h"

namespace outrigger::template_agent {

AgentFactory MakeFactory();

namespace {

using testing::AgentUnderTest;
using ::testing::ElementsAre;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;

constexpr const char* kLabel = "example.com/avoid";

TEST(TemplateFilter, RejectsNodesWhoseLabelIsTrueAndSaysSo) {
  const AgentUnderTest agent(MakeFactory());
  const OwnedRequest request(
      MakePod(), {MakeNode("plain"), MakeNode("avoided").Label(kLabel, "true"),
                  MakeNode("other").Label(kLabel, "false"), MakeNode("unknown").Unknown()});
  EXPECT_THAT(agent.Fits(request), ElementsAre(true, false, true, true));
  EXPECT_EQ(agent.Filter(request)[1].reason(), "label example.com/avoid=true keeps pods away");
}

TEST(TemplateScore, TakesNodesWhoseLabelIsPreferLast) {
  const AgentUnderTest agent(MakeFactory());
  const OwnedRequest request(MakePod(),
                             {MakeNode("plain"), MakeNode("last").Label(kLabel, "prefer")});
  EXPECT_THAT(agent.Scores(request), ElementsAre(10, 0));
}

TEST(TemplateSettings, NameTheLabel) {
  const AgentUnderTest agent(MakeFactory(), {{"label", "team.example.com/off"}});
  const OwnedRequest request(MakePod(), {MakeNode("a").Label("team.example.com/off", "true"),
                                         MakeNode("b").Label(kLabel, "true")});
  EXPECT_THAT(agent.Fits(request), ElementsAre(false, true));
}

}  // namespace
}  // namespace outrigger::template_agent
