#include "fake_agents_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::engine {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class EngineErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    engine_.Add(InfoOf<ByAnnotation>("notes"));
    ASSERT_TRUE(engine_.Make().ok());
  }
  TestEngine engine_;
};

TEST_F(EngineErrors, WhatIsNotTheProtocolIs400WithAJsonError) {
  for (const char* body : {"", "null", "[]", "{", "hello", "{\"Pod\": 5}"}) {
    const Reply reply = engine_.Call("/notes/filter", body);
    EXPECT_EQ(reply.http_status, 400) << body;
    EXPECT_TRUE(json::parse(reply.body).contains("error")) << reply.body;
    EXPECT_EQ(engine_.observer.last_error, ErrorKind::kBadRequest);
  }
}

TEST_F(EngineErrors, AFilterCallWithoutAnAnswerIs200WithError) {
  const Reply reply =
      engine_.Call("/notes/filter", R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null})");
  EXPECT_EQ(reply.http_status, 200);
  EXPECT_THAT(json::parse(reply.body)["Error"].get<std::string>(), HasSubstr("NodeNames"));
}

TEST_F(EngineErrors, APrioritizeCallWithoutAnAnswerIs422ForItHasNoPlaceForAnError) {
  const Reply reply =
      engine_.Call("/notes/prioritize", R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null})");
  EXPECT_EQ(reply.http_status, 422);
  EXPECT_TRUE(json::parse(reply.body).contains("error"));
}

TEST_F(EngineErrors, AnAgentThatCannotAnswerFailsTheCallWithItsNameAndWords) {
  const json result =
      engine_.CallJson("/notes/filter", FullArgs({JsonNode("a", {{"reject", "status"}})}));
  EXPECT_EQ(result["Error"], "notes: the source is gone");
  EXPECT_EQ(engine_.observer.last_error, ErrorKind::kAgent);
}

TEST_F(EngineErrors, AnAgentThatThrowsTellsNobodyTheDetails) {
  const Reply reply =
      engine_.Call("/notes/filter", FullArgs({JsonNode("a", {{"reject", "throw"}})}).dump());
  EXPECT_EQ(reply.http_status, 200);
  EXPECT_THAT(reply.body, HasSubstr("internal error"));
  EXPECT_THAT(reply.body, Not(HasSubstr("secret")));
  EXPECT_EQ(engine_.observer.last_error, ErrorKind::kInternal);
}

TEST_F(EngineErrors, AMergedPathIsCalledByItsNameAndNotAsAnAgent) {
  const Reply thrown =
      engine_.Call("/filter", FullArgs({JsonNode("a", {{"reject", "throw"}})}).dump());
  EXPECT_THAT(thrown.body, HasSubstr("the merged path /filter: internal error, see the log"));
  const Reply names = engine_.Call(
      "/prioritize", R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a"]})");
  EXPECT_THAT(names.body, HasSubstr("the merged path /prioritize needs more of a node"));
  for (const Reply& reply : {thrown, names}) EXPECT_THAT(reply.body, Not(HasSubstr("all:")));
}

TEST_F(EngineErrors, NobodyIsAskedOnceTheCallerHasGone) {
  engine_.abandoned = Stopped();
  for (const char* path : {"/notes/filter", "/notes/prioritize"}) {
    // The agent would throw if it were asked.
    engine_.Call(path, FullArgs({JsonNode("a", {{"reject", "throw"}})}).dump());
    EXPECT_EQ(engine_.observer.last_error, ErrorKind::kAbandoned) << path;
  }
}

TEST_F(EngineErrors, AFailedCallLeavesTheNextOneWhole) {
  engine_.Call("/notes/filter", FullArgs({JsonNode("a", {{"reject", "throw"}})}).dump());
  const json result = engine_.CallJson("/notes/filter", FullArgs({JsonNode("a")}));
  EXPECT_EQ(result["Nodes"]["items"].size(), 1U);
}

}  // namespace
}  // namespace outrigger::engine
