// `outrigger explain queue --agent`, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/page/page.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "gang/plan/queue.h"
#include "kube/raw_server_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using kube::RawPeer;
using kube::RawServer;
using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;

Ran AskForQueue(const std::string& answer, std::vector<std::string> arguments = {}) {
  const RawServer server([&answer](RawPeer& peer, size_t) {
    EXPECT_THAT(peer.ReadRequest(), ::testing::StartsWith("GET /queue HTTP/1.1\r\n"));
    peer.Send(answer);
  });
  arguments.insert(arguments.begin(), {"explain", "queue", "--agent", server.url()});
  return RunProgram(arguments);
}

std::string QueuePageOf(size_t rows, size_t more = 0) {
  page::Page page{"qos", "queue", PageTable(plan::QueuePage().columns, 100)};
  for (size_t i = 0; i < rows; ++i) {
    page.table.Add({static_cast<int64_t>(i + 1),
                    fmt::format("a/p{}", i),
                    "pod",
                    int64_t{7},
                    int64_t{0},
                    "BestEffort",
                    "2026-11-24T03:00:12Z",
                    "waits",
                    {},
                    "cpu",
                    int64_t{1},
                    int64_t{0},
                    int64_t{1},
                    "too little cpu is left"});
  }
  page.table.Count(more);
  std::string body;
  page::Encode(page, page::kMaxBytes, &body);
  return kube::Answer(200, body);
}

TEST(ExplainQueueOfAnAgent, PrintsItsPage) {
  const Ran ran = AskForQueue(QueuePageOf(1), {"-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(nlohmann::json::parse(ran.out), nlohmann::json::parse(R"({"rows":[
      {"position":1,"unit":"a/p0","kind":"pod","groupPriority":7,"priority":0,"class":"BestEffort",
       "since":"2026-11-24T03:00:12Z","state":"waits","after":null,"lacks":"cpu",
       "members":1,"bound":0,"minimum":1,"why":"too little cpu is left"}],
      "total":1,"truncated":false})"));
  const std::string table = AskForQueue(QueuePageOf(1)).out;
  EXPECT_THAT(table, HasSubstr("\n       1  a/p0  pod "));
  EXPECT_THAT(table, ::testing::EndsWith("  cpu\n")) << "what follows has no room on a screen";
  EXPECT_EQ(AskForQueue(QueuePageOf(0)).out, "Nothing waits.\n");
}

TEST(ExplainQueueOfAnAgent, CountsWhatTheAgentOrTheLimitLeavesOut) {
  const Ran ran = AskForQueue(QueuePageOf(3, 2), {"-o", "json", "--limit", "2"});
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["rows"].size(), 2U);
  EXPECT_EQ(json["total"], 5);
  EXPECT_EQ(json["truncated"], true);
  EXPECT_EQ(ran.err, "note: the first 2 of 5 units are shown\n");
}

struct QueueAnswerRow {
  std::string name;
  std::string answer;
  std::vector<std::string> error;  // parts of it
};

class ExplainQueueAnswer : public ::testing::TestWithParam<QueueAnswerRow> {};

TEST_P(ExplainQueueAnswer, IsAnErrorWithItsCause) {
  const Ran ran = AskForQueue(GetParam().answer);
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("/queue: "));
  for (const std::string& part : GetParam().error) EXPECT_THAT(ran.err, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ExplainQueueAnswer,
    ::testing::Values(
        QueueAnswerRow{"ItIsNotServed",
                       kube::Answer(404, R"({"error":"no such path: /queue; served: /livez"})"),
                       {"404: no such path: /queue; served: /livez. No agent that keeps the queue "
                        "is served there (serve --agents gang, qos, or gang,qos)"}},
        QueueAnswerRow{"NotReady",
                       kube::Answer(503, R"({"error":"there is no plan yet"})"),
                       {"503: there is no plan yet"}},
        QueueAnswerRow{"NotOnLoopback",
                       kube::Answer(403, R"({"error":"loopback only"})"),
                       {"403: loopback only"}},
        QueueAnswerRow{"NoPage", kube::Answer(200, "<html>"), {"the admin port of an agent"}},
        QueueAnswerRow{"NoAnswer", "", {"the connection ended before a complete HTTP answer"}}),
    [](const auto& row) { return row.param.name; });

struct QueueRefusedRow {
  std::string name;
  std::vector<std::string> arguments;
  std::string error;
};

class ExplainQueueRefuses : public ::testing::TestWithParam<QueueRefusedRow> {};

TEST_P(ExplainQueueRefuses, WithTheFlag) {
  std::vector<std::string> arguments = {"explain", "queue"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const Ran ran = RunProgram(arguments);
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

constexpr const char* kQueueUrl = "http://127.0.0.1:9972";

INSTANTIATE_TEST_SUITE_P(
    Rows, ExplainQueueRefuses,
    ::testing::Values(
        QueueRefusedRow{"AnotherHost",
                        {"--agent", "http://10.0.0.1:9972"},
                        "--agent: URL of an agent: agents serve pages on loopback only"},
        QueueRefusedRow{
            "Tls", {"--agent", "https://127.0.0.1:9972"}, "admin ports do not have TLS"},
        QueueRefusedRow{
            "APath", {"--agent", "http://127.0.0.1:9972/queue"}, "a path is not accepted"},
        QueueRefusedRow{"NoUrl", {"--agent", "9972"}, "--agent: URL of an agent: "},
        QueueRefusedRow{"EmptyUrl",
                        {"--agent="},
                        "--agent: \"\" is not accepted; expected http://127.0.0.1:PORT"},
        QueueRefusedRow{
            "AgentAndFile",
            {"--agent", kQueueUrl, "--cluster", "x"},
            "--cluster is only for a plan made by this command; --agent shows the agent's plan"},
        QueueRefusedRow{"AgentAndKubeconfig",
                        {"--agent", kQueueUrl, "--kubeconfig", "x"},
                        "--kubeconfig is only for a plan"},
        QueueRefusedRow{"AgentAndContext",
                        {"--agent", kQueueUrl, "--context", "x"},
                        "--context is only for a plan"},
        QueueRefusedRow{"AgentAndNames",
                        {"--agent", kQueueUrl, "--scheduler-names", "x"},
                        "--scheduler-names is only for a plan"},
        QueueRefusedRow{"AgentAndUnchecked",
                        {"--agent", kQueueUrl, "--unchecked", "x"},
                        "--unchecked is only for a plan"},
        QueueRefusedRow{"AgentAndOrder",
                        {"--agent", kQueueUrl, "--pod-priority", "true"},
                        "--pod-priority is only for a plan"},
        QueueRefusedRow{
            "PodPriority", {"--pod-priority", "no"}, "--pod-priority: \"no\" is not accepted"},
        QueueRefusedRow{
            "SchedulerNames", {"--scheduler-names", "a,,b"}, "--scheduler-names: \"a,,b\""},
        QueueRefusedRow{"Unchecked", {"--unchecked", "!"}, "--unchecked: "},
        QueueRefusedRow{
            "LimitZero", {"--limit", "0"}, "--limit: \"0\" is not accepted; expected 1 to 10000"},
        QueueRefusedRow{
            "LimitTooLarge", {"--limit", "10001"}, "--limit: \"10001\" is not accepted"},
        QueueRefusedRow{"LimitNegative", {"--limit", "-1"}, "--limit: \"-1\" is not accepted"},
        QueueRefusedRow{"LimitNoNumber", {"--limit", "all"}, "--limit: \"all\" is not accepted"},
        QueueRefusedRow{"Output", {"-o", "wide"}, "\"wide\" is not accepted"},
        QueueRefusedRow{"FileAndKubeconfig",
                        {"--cluster", "x", "--kubeconfig", "y"},
                        "--kubeconfig and --context select the live cluster"}),
    [](const auto& row) { return row.param.name; });

TEST(ExplainQueueOfAnAgent, SaysWhatToCheckIfNothingListens) {
  std::string url;
  {
    const RawServer server([](RawPeer&, size_t) {});
    url = server.url();
  }
  const Ran ran = RunProgram({"explain", "queue", "--agent", url});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr(url + "/queue: no connection. Check that the agent runs"));
}

}  // namespace
}  // namespace outrigger::cli
