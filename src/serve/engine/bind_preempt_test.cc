#include "fake_agents_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::engine {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json Bind(const char* node) {
  return {{"PodName", "p"}, {"PodNamespace", "default"}, {"PodUID", "u"}, {"Node", node}};
}

TEST(EngineBind, SuccessIsAnEmptyError) {
  TestEngine engine;
  engine.Add(InfoOf<BindsEverything>("binder"));
  ASSERT_TRUE(engine.Make().ok());
  EXPECT_EQ(engine.CallJson("/binder/bind", Bind("a")), json({{"Error", ""}}));
  EXPECT_EQ(engine.CallJson("/bind", Bind("a")), json({{"Error", ""}}));
}

TEST(EngineBind, FailureIs200WithTheAgentsWords) {
  TestEngine engine;
  engine.Add(InfoOf<BindsEverything>("binder"));
  ASSERT_TRUE(engine.Make().ok());
  const Reply reply = engine.Call("/binder/bind", Bind("full").dump());
  EXPECT_EQ(reply.http_status, 200);
  EXPECT_EQ(json::parse(reply.body), json({{"Error", "binder: node full is full"}}));
}

TEST(EngineBind, TheAgentSeesThatTheCallerHasGone) {
  TestEngine engine;
  engine.Add(InfoOf<BindsEverything>("binder"));
  ASSERT_TRUE(engine.Make().ok());
  engine.abandoned = Stopped();
  EXPECT_EQ(engine.CallJson("/binder/bind", Bind("a")), json({{"Error", "binder: nobody waits"}}));
  EXPECT_EQ(engine.observer.last_error, ErrorKind::kAbandoned) << "no fault of the agent's";
}

json Preempt(const char* pod) {
  return {{"Pod", {{"metadata", {{"name", pod}}}}},
          {"NodeNameToVictims", nullptr},
          {"NodeNameToMetaVictims",
           {{"a", {{"Pods", {{{"UID", "1"}}, {{"UID", "2"}}}}, {"NumPDBViolations", 1}}}}}};
}

TEST(EnginePreempt, AnswersWithMetaVictims) {
  TestEngine engine;
  engine.Add(InfoOf<PicksFirst>("picker"));
  ASSERT_TRUE(engine.Make().ok());
  const json result = engine.CallJson("/preempt", Preempt("p"));
  EXPECT_EQ(
      result,
      json({{"NodeNameToMetaVictims",
             {{"a", {{"Pods", {{{"UID", "1"}}, {{"UID", "2"}}}}, {"NumPDBViolations", 1}}}}}}));
}

TEST(EnginePreempt, AnAgentThatInventsAVictimIsNamed) {
  TestEngine engine;
  engine.Add(InfoOf<PicksFirst>("picker"));
  ASSERT_TRUE(engine.Make().ok());
  const Reply reply = engine.Call("/preempt", Preempt("liar").dump());
  EXPECT_EQ(reply.http_status, 500);
  EXPECT_THAT(reply.body, HasSubstr("picker: chose node"));
}

}  // namespace
}  // namespace outrigger::engine
