// `outrigger penalty restore` and `outrigger explain penalty` as a user runs them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/page/page.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"
#include "nlohmann/json.hpp"
#include "penalty/classes/pages.h"
#include "penalty/commands/penalty_testing.h"

namespace outrigger::cli {
namespace {

using kube::RawPeer;
using kube::RawServer;
using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

struct RefusedRow {
  std::string name;
  std::vector<std::string> arguments;
  std::string error;
};

class PenaltyCommandRefuses : public ::testing::TestWithParam<RefusedRow> {};

TEST_P(PenaltyCommandRefuses, WithTheFlag) {
  const Ran ran = RunProgram(GetParam().arguments);
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

constexpr const char* kPenaltyUrl = "http://127.0.0.1:9975";

INSTANTIATE_TEST_SUITE_P(
    Rows, PenaltyCommandRefuses,
    ::testing::Values(
        RefusedRow{"NoCommand", {"penalty"}, "penalty needs a subcommand: restore"},
        RefusedRow{"AnotherCommand", {"penalty", "restor"}, "did you mean restore?"},
        RefusedRow{"NoClass",
                   {"penalty", "restore"},
                   "penalty restore needs the name of a PriorityClass or --all"},
        RefusedRow{"EmptyClass", {"penalty", "restore", ""}, "penalty restore needs the name"},
        RefusedRow{"ClassAndAll",
                   {"penalty", "restore", "gold", "--all"},
                   "give either --all or the name of a class"},
        RefusedRow{"TwoClasses", {"penalty", "restore", "gold", "silver"}, "silver"},
        RefusedRow{"Wait",
                   {"penalty", "restore", "--all", "--wait", "0"},
                   "--wait: \"0\" is not accepted; expected seconds, 1 to 3600"},
        RefusedRow{"LongWait", {"penalty", "restore", "--all", "--wait", "3601"}, "--wait: "},
        RefusedRow{"NoWait", {"penalty", "restore", "--all", "--wait", "1m"}, "--wait: \"1m\""},
        RefusedRow{"Namespace",
                   {"penalty", "restore", "--all", "--namespace="},
                   "--namespace: \"\" is not accepted; expected the name of a namespace"},
        RefusedRow{"Lease",
                   {"penalty", "restore", "--all", "--lease="},
                   "--lease: \"\" is not accepted; expected the name of a Lease"},
        RefusedRow{"Output", {"explain", "penalty", "-o", "wide"}, "\"wide\" is not accepted"},
        RefusedRow{"Color", {"explain", "penalty", "--color", "red"}, "\"red\" is not accepted"},
        RefusedRow{"Limit", {"explain", "penalty", "--limit", "0"}, "--limit: \"0\""},
        RefusedRow{"EmptyAgent", {"explain", "penalty", "--agent="}, "--agent: \"\""},
        RefusedRow{"AnotherHost",
                   {"explain", "penalty", "--agent", "http://10.0.0.1:9975"},
                   "--agent: URL of an agent"},
        RefusedRow{
            "AgentAndNamespace",
            {"explain", "penalty", "--agent", kPenaltyUrl, "-n", "x"},
            "--namespace is only for the journal in the cluster; --agent shows the agent's data"},
        RefusedRow{"AgentAndKubeconfig",
                   {"explain", "penalty", "--agent", kPenaltyUrl, "--kubeconfig", "x"},
                   "--kubeconfig is only for the journal"},
        RefusedRow{"AgentAndContext",
                   {"explain", "penalty", "--agent", kPenaltyUrl, "--context", "x"},
                   "--context is only for the journal"},
        RefusedRow{"Argument", {"explain", "penalty", "gold"}, "takes no argument \"gold\""}),
    [](const auto& row) { return row.param.name; });

std::string PathOf(const std::string& request) {
  const size_t begin = request.find(' ') + 1;
  return request.substr(begin, request.find(' ', begin) - begin);
}

std::string Encoded(const page::Page& page) {
  std::string body;
  page::Encode(page, page::kMaxBytes, &body);
  return kube::Answer(200, body);
}

// The pages of an agent: one class, one change, no sums, two groups.
std::string PageOfAgent(const std::string& path) {
  if (path == "/penalty") {
    page::Page classes{"penalty", "penalty", PageTable(penalty::ClassesPage().columns, 9)};
    classes.table.Add({"gold",
                       int64_t{1000},
                       int64_t{700},
                       12345.6,
                       int64_t{401},
                       "class silver",
                       int64_t{3},
                       int64_t{1},
                       "recovers",
                       int64_t{750},
                       "2026-11-24T03:00:12.000Z",
                       {},
                       {},
                       {}});
    return Encoded(classes);
  }
  if (path == "/penalty-changes") {
    page::Page changes{"penalty", "penalty-changes", PageTable(penalty::ChangesPage().columns, 9)};
    changes.table.Add({"gold", "2026-11-24T03:00:00.000Z", int64_t{1000}, int64_t{700},
                       "start default/job-1", int64_t{4000}});
    return Encoded(changes);
  }
  if (path == "/penalty-sums") {
    return Encoded({"penalty", "penalty-sums", PageTable(penalty::SumsPage().columns, 9)});
  }
  if (path == "/penalty-pods") {
    page::Page pods{"penalty", "penalty-pods", PageTable(penalty::PodsPage().columns, 9)};
    penalty::LowPods low;
    FakePenalty cluster;
    for (const char* name : {"a", "b", "c", "d"}) cluster.AddPod(name, "gold", 690);
    cluster.AddPod("old", "gold", 600);
    cluster.AddPod("new", "gold", 700);
    cluster.AddPod("s", "silver", 400);
    for (const Pod& pod : cluster.pods) low.Take(pod);
    cluster.PutClass("gold", 700);
    cluster.PutClass("silver", 400);
    low.Fill(cluster.server.Classes(), {}, &pods.table);
    return Encoded(pods);
  }
  page::Page groups{"penalty", "penalty-groups", PageTable(penalty::GroupsPage().columns, 9)};
  for (const char* name : {"a", "b"}) {
    groups.table.Add({"team", name, "Running", "gold", "night", "1 started"});
  }
  return Encoded(groups);
}

Ran ExplainOfAgent(std::vector<std::string> arguments) {
  const RawServer server(
      [](RawPeer& peer, size_t) { peer.Send(PageOfAgent(PathOf(peer.ReadRequest()))); });
  arguments.insert(arguments.begin(), {"explain", "penalty", "--agent", server.url()});
  return RunProgram(arguments);
}

TEST(ExplainPenalty, PrintsThePagesOfAnAgent) {
  const Ran ran = ExplainOfAgent({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "Priority classes:\nCLASS  BASE  VALUE  PENALTY  FLOOR  FLOOR-OF      STARTS  "
            "COMPLETIONS  STATE     NEXT-VALUE  NEXT-AT                   CHANGED-AT  REPLACED-AT  "
            "GAP-MICROSECONDS\ngold   1000    700    12346    401  class silver       3            "
            "1  recovers         750  2026-11-24T03:00:12.000Z  -           -            "
            "-\n\nChanges of their values, the newest first:\nCLASS  AT                        "
            "BEFORE  AFTER  CAUSE                GAP-MICROSECONDS\ngold   2026-11-24T03:00:00.000Z "
            "   1000    700  start default/job-1              4000\n\nQueues and namespaces: "
            "none\n\nPodGroups:\nNAMESPACE  NAME  PHASE    CLASS  QUEUE  COUNTED\nteam       a     "
            "Running  gold   night  1 started\nteam       b     Running  gold   night  1 "
            "started\n\nPods with a priority below the value of their class:\nCLASS  VALUE  PODS  "
            "LOWEST  EXAMPLES\ngold     700     5     600  team/old 600, team/a 690, team/b 690\n");
}

TEST(ExplainPenalty, PrintsJsonAndYaml) {
  const Ran ran = ExplainOfAgent({"-o", "json", "--limit", "1"});
  const auto all = nlohmann::json::parse(ran.out);
  EXPECT_EQ(all["classes"][0]["nextValue"], 750);
  EXPECT_EQ(all["classes"][0]["changedAt"], nullptr);
  EXPECT_EQ(all["sums"], nlohmann::json::array());
  EXPECT_EQ(all["groups"].size(), 1U);
  EXPECT_EQ(ran.err, "note: groups: the first 1 of 2 rows are shown\n");
  EXPECT_THAT(ExplainOfAgent({"-o", "yaml"}).out, HasSubstr("changes:\n  - class: gold\n    at: "));
}

TEST(ExplainPenalty, SaysWhatToDoIfTheAgentIsNotServed) {
  const RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(kube::Answer(404, R"({"error":"no such path: /penalty; served: /livez"})"));
  });
  const Ran ran = RunProgram({"explain", "penalty", "--agent", server.url()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("Agent penalty is not served there"));
}

// Answers as an API server that has one class, `gold`, and nothing else.
class PenaltyOnAServer : public ::testing::Test {
 protected:
  Ran Run(std::vector<std::string> arguments) {
    const RawServer server([this](RawPeer& peer, size_t) {
      for (std::string request = peer.ReadRequest(); !request.empty();
           request = peer.ReadRequest()) {
        const bool lists =
            PathOf(request).starts_with("/apis/scheduling.k8s.io/v1/priorityclasses?");
        peer.Send(lists ? classes_ : kube::Answer(404, R"({"kind":"Status","code":404})"));
      }
    });
    const TempFile file(fmt::format("clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                                    "users: [{{name: u, user: {{}}}}]\n"
                                    "contexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
                                    "current-context: x\n",
                                    server.url()),
                        "config");
    arguments.insert(arguments.end(), {"--kubeconfig", file.path()});
    return RunProgram(arguments);
  }

  std::string classes_ = kube::Answer(
      200, R"({"kind":"PriorityClassList","metadata":{"resourceVersion":"7"},"items":[)"
           R"({"metadata":{"name":"gold","uid":"u","resourceVersion":"3",)"
           R"("annotations":{"outrigger.dev/base-value":"1000"}},"value":700}]})");
};

TEST_F(PenaltyOnAServer, ExplainsWithoutAJournal) {
  const Ran ran = Run({"explain", "penalty", "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["classes"][0]["state"], "not in the journal");
  EXPECT_THAT(
      ran.err,
      HasSubstr(
          "note: penalties are those of the last count in the journal of namespace kube-system, "
          "and floors ignore the agent's settings; --agent URL shows the current ones\n"));
}

TEST_F(PenaltyOnAServer, KnowsNoSuchClassBeforeItWaits) {
  const Ran ran = Run({"penalty", "restore", "glod"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "outrigger: there is no PriorityClass glod; did you mean gold?\n");
}

TEST_F(PenaltyOnAServer, SaysWhatMayNotBeRead) {
  classes_ = kube::Answer(
      403, R"({"kind":"Status","code":403,"message":"priorityclasses is forbidden: no rights"})");
  for (const char* command : {"restore", "explain"}) {
    const Ran ran = std::string(command) == "restore" ? Run({"penalty", "restore", "--all"})
                                                      : Run({"explain", "penalty"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("priorityclasses is forbidden: no rights"));
  }
}

}  // namespace
}  // namespace outrigger::cli
