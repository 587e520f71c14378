// `outrigger top` where its output is no terminal, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/look/pages_testing.h"
#include "codec/page/page.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using kube::RawPeer;
using kube::RawServer;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::RunProgram;

constexpr const char* kReady = "[+]started ok\nreadyz check passed\n";

std::string PageOf(const std::string& name, PageTable table) {
  std::string body;
  page::Encode({"qos", name, std::move(table)}, page::kMaxBytes, &body);
  return kube::Answer(200, body);
}

// Path -> answer; what is missing is 404.
using Answers = std::map<std::string, std::string>;

Answers UsualAnswers() {
  return {{"/readyz", kube::Answer(200, kReady)},
          {"/queue", PageOf("queue", look::QueueTable({{"pod", "shop/a"}, {"gang", "ml/red"}}))},
          {"/gangs", PageOf("gangs", look::GangsTable({}))},
          {"/nodes", PageOf("nodes", look::NodesTable(4))}};
}

Ran Top(const Answers& answers, std::vector<std::string> arguments = {}) {
  const RawServer server([&answers](RawPeer& peer, size_t) {
    const std::string request = peer.ReadRequest();
    const std::string path = request.substr(4, request.find_first_of(" ?", 4) - 4);
    const auto found = answers.find(path);
    peer.Send(found != answers.end() ? found->second
                                     : kube::Answer(404, R"({"error":"no such path"})"));
  });
  arguments.insert(arguments.begin(), {"top", "--agent", server.url()});
  return RunProgram(arguments);
}

TEST(Top, PrintsOneFrameWhereTheOutputIsNoTerminal) {
  const Ran ran = Top(UsualAnswers());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("outrigger top  "), HasSubstr("\nReady: qos\n"),
                             HasSubstr("shop/a"), HasSubstr("ml/red"), HasSubstr("zone-1")));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ran.out, Not(HasSubstr("q quit")));
}

TEST(Top, PrintsThePagesAsJson) {
  Answers answers = UsualAnswers();
  answers.erase("/gangs");
  PageTable queue = look::QueueTable({{"pod", "shop/a"}, {"gang", "ml/red"}});
  queue.Count(5000);
  answers["/queue"] = PageOf("queue", std::move(queue));
  answers["/readyz"] = kube::Answer(503, "[-]agent-qos failed: no plan\nreadyz check failed\n");
  const Ran ran = Top(answers, {"-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["agent"], "qos");
  EXPECT_EQ(json["ready"], false);
  EXPECT_EQ(json["notReady"], nlohmann::json::array({"agent-qos: no plan"}));
  EXPECT_EQ(json["queue"]["rows"][1]["unit"], "ml/red");
  EXPECT_EQ(json["queue"]["total"], 5002);
  EXPECT_EQ(json["queue"]["truncated"], true);
  EXPECT_EQ(json["nodes"]["rows"].size(), 4U);
  EXPECT_EQ(json["nodes"]["truncated"], false);
  EXPECT_TRUE(json["gangs"].is_null());
  EXPECT_THAT(json["errors"]["gangs"].get<std::string>(), HasSubstr("404"));
  EXPECT_FALSE(json["errors"].contains("queue"));
}

TEST(Top, FailsWhereNoPageIsToBeHad) {
  Answers answers = UsualAnswers();
  for (const char* const page : {"/queue", "/gangs", "/nodes"}) {
    answers[page] = kube::Answer(503, R"({"error":"another replica leads"})");
  }
  Ran ran = Top(answers);
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("/queue: 503: another replica leads"));
  ran = Top({{"/readyz", kube::Answer(200, kReady)}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("none of the pages queue, gangs and nodes is served there"));
}

TEST(Top, SaysWhatToCheckIfNothingListens) {
  std::string url;
  {
    const RawServer server([](RawPeer&, size_t) {});
    url = server.url();
  }
  const Ran ran = RunProgram({"top", "--agent", url});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("Check that the agent runs"));
}

TEST(Top, NamesTheFlagThatNeedsNoCluster) {
  const Ran ran = RunProgram({"top"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("--agent http://127.0.0.1:PORT shows a running agent"));
}

TEST(Top, RefusesFlagsThatDoNotGoTogether) {
  constexpr const char* kUrl = "http://127.0.0.1:9970";
  struct Refused {
    std::vector<std::string> arguments;
    std::string error;
  };
  for (const Refused& refused : {
           Refused{{"--agent", kUrl, "-n", "x"}, "--namespace is for agents that are looked for"},
           Refused{{"--agent", kUrl, "--port", "1"}, "--port is for agents that are looked for"},
           Refused{{"--agent", "http://10.0.0.1:9970"}, "--agent: URL of an agent"},
           Refused{{"--agent="}, "--agent: \"\" is not accepted"},
           Refused{{"--port", "0"}, "--port: \"0\" is not accepted; expected 1 to 65535"},
           Refused{{"--agents", "gang,,qos"}, "--agents: \"gang,,qos\" is not accepted"},
           Refused{{"-o", "yaml"}, "\"yaml\" is not accepted"},
       }) {
    std::vector<std::string> arguments = {"top"};
    arguments.insert(arguments.end(), refused.arguments.begin(), refused.arguments.end());
    const Ran ran = RunProgram(arguments);
    EXPECT_EQ(ran.code, 2) << refused.error;
    EXPECT_THAT(ran.err, HasSubstr(refused.error));
  }
}

}  // namespace
}  // namespace outrigger::cli
