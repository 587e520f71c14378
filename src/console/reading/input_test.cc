// What `outrigger explain pod` takes: settings, pods, clusters, and agents and objects with faults.

#include "console/explain_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using ::testing::StartsWith;
using testing::TempFile;

TEST_F(ExplainPod, TakesSettingsAsServeDoes) {
  const TempFile config("agents: wind\nport: 1\nsafe: {maxRisk: 0.9}\n", "config.yaml");
  const auto fits = [](const Ran& ran, const std::string& node) {
    return ran.out.find("\n" + node + "  yes") != std::string::npos;
  };
  EXPECT_FALSE(fits(Explain({"web-7c9d"}), "rough"));
  EXPECT_TRUE(fits(Explain({"web-7c9d", "--safe.max-risk", "0.9"}), "rough"));
  EXPECT_TRUE(fits(Explain({"web-7c9d"}, {{{"OUTRIGGER_SAFE_MAX_RISK", "0.9"}}}), "rough"));
  EXPECT_TRUE(fits(Explain({"web-7c9d"}, {{{"SAFERISK", "0.9"}}}), "rough"));
  const Ran by_file = Explain({"web-7c9d", "--config", config.path()});
  EXPECT_THAT(by_file.out, Not(HasSubstr("  safe ")));
  EXPECT_TRUE(fits(Explain({"web-7c9d", "--config", config.path(), "--agents=safe"}), "rough"));
  EXPECT_THAT(Explain({"web-7c9d", "--agents=wind", "--safe.max-risk=1"}).err,
              "note: --safe.max-risk has no effect: agent safe is not served\n");
}

TEST_F(ExplainPod, TakesAPodThatDoesNotExistYetFromAFile) {
  const Ran ran = Explain({"-f", pod_.path()});
  EXPECT_THAT(ran.out, StartsWith("Pod:       default/new\nRequests:  cpu 2\n")) << ran.err;
  EXPECT_THAT(Explain({"-f", pod_.path(), "-n", "shop"}).out, StartsWith("Pod:       shop/new\n"));
  EXPECT_EQ(Explain({"-f", "-"}, {{}, kPod}).out, ran.out);
}

TEST_F(ExplainPod, ReadsTheClusterFromStandardInput) {
  const Ran ran = RunIt({"explain", "pod", "web-7c9d", "--cluster", "-"}, {{}, kDump});
  EXPECT_EQ(ran.out, Explain({"web-7c9d"}).out);
  EXPECT_EQ(ran.code, 0);
}

TEST_F(ExplainPod, TakesNamesAsTablesAndKubectlPrintThem) {
  const std::string expected = Explain({"job", "-n", "b"}).out;
  EXPECT_THAT(expected, StartsWith("Pod:       b/job "));
  EXPECT_EQ(Explain({"b/job"}).out, expected);
  EXPECT_EQ(Explain({"b/job", "-n", "b"}).out, expected);
  EXPECT_EQ(Explain({"pod/job", "-n", "b"}).out, expected);
  EXPECT_EQ(Explain({"pods/job", "-n", "b"}).out, expected);
}

TEST_F(ExplainPod, TellsWhereAPodRunsAlready) {
  EXPECT_THAT(Explain({"job", "-n", "b"}).out,
              StartsWith("Pod:       b/job (bound to calm)\nRequests:  none\n"));
}

TEST_F(ExplainPod, ReportsAnAgentThatCannotAnswerAndExplainsTheOthers) {
  const TempFile dump("kind: NodeList\nitems:\n- metadata: {name: n1, labels: {storm: here}}\n",
                      "nodes.yaml");
  const Ran ran =
      RunIt({"explain", "pod", "-f", pod_.path(), "--cluster", dump.path(), "-o", "table"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(
      ran.out,
      HasSubstr("Fits:      0 of 1 node, kube-scheduler's own filters aside\nFault:     wind: the "
                "mast is down (from /wind/filter: scheduling fails for the pod)\n\nNODE  FITS  "
                "TOTAL  AGENT  VERDICT    SCORE  WHY\nn1    ?         6  safe   fits          10  "
                "risk 0.00\n                   wind   no answer      2\n"));
}

TEST_F(ExplainPod, SaysThatNoNodeIsMeasuredWhereThatCounts) {
  const TempFile dump("kind: NodeList\nitems:\n- metadata: {name: n1}\n", "nodes.yaml");
  const std::vector<std::string> arguments = {"explain",   "pod",       "-f",
                                              pod_.path(), "--cluster", dump.path()};
  constexpr const char* kNote = "no node has been measured: is `outrigger annotate usage` running";
  EXPECT_THAT(RunIt(arguments).err, HasSubstr(kNote));
  std::vector<std::string> others = arguments;
  others.insert(others.end(), {"--agents", "wind"});
  EXPECT_THAT(RunIt(others).err, Not(HasSubstr(kNote)));
}

TEST_F(ExplainPod, ListsValuesThatCouldNotBeUsed) {
  const TempFile dump(
      "kind: NodeList\nitems:\n- metadata: {name: n1, annotations: {risk: high, mean-free-cpu: "
      "\"1\"}}\n"
      "  status: {allocatable: {cpu: lots}}\n",
      "nodes.yaml");
  const Ran ran = RunIt({"explain", "pod", "-f", "-", "--cluster", dump.path()},
                        {{}, "kind: Pod\nmetadata: {name: p}\nspec:\n  overhead: {cpu: [1]}\n"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("standard input: spec.overhead.cpu: expected a quantity"));
  const Ran notes = RunIt({"explain", "pod", "-f", "-", "--cluster", dump.path()},
                          {{}, "kind: Pod\nmetadata: {name: p}\nspec:\n  overhead: {cpu: x}\n"});
  EXPECT_EQ(notes.code, 0);
  EXPECT_EQ(notes.err,
            "note: pod p: spec.overhead.cpu: \"x\" is not accepted; expected a quantity such as "
            "250m, 1.5Gi or 2e3; treated as absent\nnote: pod p: as the API server does: QoS class "
            "BestEffort; tolerations of not-ready, unreachable\nnote: node n1: "
            "status.allocatable.cpu: \"lots\" is not accepted; expected a quantity such as 250m, "
            "1.5Gi or 2e3; treated as absent\nnote: safe: node n1: risk: \"high\" is not accepted; "
            "expected a decimal number; treated as absent\n");
}

}  // namespace
}  // namespace outrigger::cli
