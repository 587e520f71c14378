// `outrigger explain pod`, as a user runs it, on agents that are easy to foresee.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/run.h"
#include "nlohmann/json.hpp"
#include "test_agents.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using ::testing::StartsWith;
using testing::TempFile;

struct SafeSettings {
  double max_risk = 0.3;
  static constexpr auto kFields = std::tuple{Setting{
      "max-risk", &SafeSettings::max_risk, Range{0, 1}, "risk above which a node is refused"}
                                                 .LegacyEnv("SAFERISK")};
};

/// Takes annotation `risk` for the risk; `risk: gone` is unresolvable.
class Safe final : public Agent, public Filterer, public Scorer {
 public:
  explicit Safe(const SafeSettings& settings) : settings_(settings) {}
  Needs Reads() const override { return Needs().NodeAnnotations({"risk"}); }
  std::vector<NamedScorer> NamedScorers() const override { return {{"worst", &worst_}}; }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const Node& node = request.nodes[i];
      if (node.annotations.Get("risk") == "gone") {
        verdicts[i] = Verdict::Unresolvable("gone", "nobody knows");
      } else if (const double risk = Risk(request, node); risk > settings_.max_risk) {
        verdicts[i] =
            Verdict::Rejected("risk", "risk {:.2f} > {:.2f}, 100 % sure", risk, settings_.max_risk);
      }
    }
    return absl::OkStatus();
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const double risk = Risk(request, request.nodes[i]);
      scores[i] = {1 - risk, request.Why("risk {:.2f}", risk)};
    }
    return absl::OkStatus();
  }

 private:
  class Worst final : public Scorer {
    absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
      for (NodeScore& score : scores) score = {0, request.Why("always")};
      return absl::OkStatus();
    }
  };
  static double Risk(const Request& request, const Node& node) {
    if (node.annotations.Get("risk") == "gone") return 0;
    return request.AnnotationDouble(node, "risk").value_or(0);
  }
  const SafeSettings settings_;
  const Worst worst_;
};

/// Scores by the length of the node's name; cannot answer about a node labelled `storm`.
class Wind final : public Agent, public Scorer, public Filterer {
 public:
  explicit Wind(const NoSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().NodeLabels(); }
  absl::Status Filter(const Request& request, std::span<Verdict> /*v*/) const override {
    for (const Node& node : request.nodes) {
      if (!node.labels.Get("storm").empty()) return absl::UnavailableError("the mast is down");
    }
    return absl::OkStatus();
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      scores[i].value = static_cast<double>(request.nodes[i].name.size()) / 10;
    }
    return absl::OkStatus();
  }
};

const std::vector<AgentInfo>& Agents() {
  static const std::vector<AgentInfo> agents = {
      {"safe", "Refuses risk", 1, internal::MakeAgentFactory<Safe, SafeSettings>()},
      {"wind", "Likes long names", 2, internal::MakeAgentFactory<Wind, NoSettings>()}};
  return agents;
}

struct Around {
  Environment environment = {};
  std::string input = {};
  Terminal terminal = {};
  std::string program = "outrigger";
};

Ran RunIt(const std::vector<std::string>& arguments, const Around& around = {}) {
  std::istringstream in(around.input);
  std::ostringstream out;
  std::ostringstream err;
  const World world{Agents(), {},  around.environment, in,
                    out,      err, around.terminal,    around.program};
  Ran ran;
  ran.code = Run(arguments, world);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

// As `kubectl get nodes,pods -A -o yaml` prints it, without what nobody reads.
constexpr const char* kDump = R"(apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    annotations:
      risk: "0.1"
    name: calm
  status:
    allocatable: {cpu: "8", memory: 32560Mi, pods: "110"}
- apiVersion: v1
  kind: Node
  metadata:
    annotations: {risk: "0.85"}
    name: rough
  status:
    allocatable: {cpu: "8", memory: 32560Mi, pods: "110"}
- apiVersion: v1
  kind: Node
  metadata:
    annotations: {risk: gone}
    name: lost
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-7c9d
    namespace: shop
    uid: 4b2d
  spec:
    containers:
    - name: main
      resources: {requests: {cpu: 500m, memory: 1Gi}}
- apiVersion: v1
  kind: Pod
  metadata: {name: job, namespace: a}
- apiVersion: v1
  kind: Pod
  metadata: {name: job, namespace: b}
  spec: {nodeName: calm}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
kind: List
metadata:
  resourceVersion: ""
)";

constexpr const char* kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: new}\n"
    "spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}\n";

class ExplainPod : public ::testing::Test {
 protected:
  Ran Explain(std::vector<std::string> arguments, const Around& around = {}) const {
    arguments.insert(arguments.begin(), {"explain", "pod", "--cluster", dump_.path()});
    return RunIt(arguments, around);
  }
  const TempFile dump_{kDump, "dump.yaml"};
  const TempFile pod_{kPod, "pod.yaml"};
};

TEST_F(ExplainPod, PrintsATable) {
  const Ran ran = Explain({"web-7c9d", "-n", "shop"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "Pod:       shop/web-7c9d\n"
            "Requests:  cpu 500m, memory 1Gi\n"
            "Fits:      1 of 3 nodes, kube-scheduler's own filters aside\n"
            "Rejected:  1 safe: nobody knows, 1 safe: risk 0.85 > 0.30, 100 percent sure\n"
            "\n"
            "NODE   FITS  TOTAL  AGENT  VERDICT       SCORE  WHY\n"
            "calm   yes       7  safe   fits              9  risk 0.10\n"
            "                    wind   fits              4\n"
            "lost   no        7  safe   unresolvable     10  nobody knows\n"
            "                    wind   fits              4\n"
            "rough  no        3  safe   rejected          2  risk 0.85 > 0.30, 100 percent sure\n"
            "                    wind   fits              5\n");
}

TEST_F(ExplainPod, PrintsMoreOnAWideTable) {
  const Ran ran = Explain({"web-7c9d", "--nodes", "rough", "-o", "wide", "--color=never"},
                          {{}, "", {true, 20}});
  EXPECT_THAT(ran.out, HasSubstr("\nNODE   FITS      TOTAL  AGENT       VERDICT       SCORE  WHY\n"
                                 "rough  no    3 (0.325)  safe        rejected  2 (0.150)  "
                                 "risk 0.85 > 0.30, 100 percent sure (risk 0.85)\n"
                                 "                        safe/worst            0 (0.000)  always\n"
                                 "                        wind        fits      5 (0.500)\n"));
}

TEST_F(ExplainPod, SaysWhatTheSchedulersEventWouldSayWhereNoNodeFits) {
  const Ran ran = Explain({"web-7c9d", "--safe.max-risk", "0.05"});
  EXPECT_THAT(ran.out,
              HasSubstr("Fits:      0 of 3 nodes, kube-scheduler's own filters aside\n"
                        "Event:     0/3 nodes are available: 1 safe: nobody knows, 1 safe: risk "
                        "0.10 > 0.05, 100 percent sure, 1 safe: risk 0.85 > 0.05, 100 percent "
                        "sure.\n"));
}

TEST_F(ExplainPod, PrintsJsonForPrograms) {
  const auto json = nlohmann::json::parse(Explain({"web-7c9d", "-o", "json"}).out);
  EXPECT_EQ(json["pod"], nlohmann::json::parse(R"({"namespace": "shop", "name": "web-7c9d",
      "requests": {"cpu": "500m", "memory": "1Gi"}})"));
  EXPECT_EQ(json["summary"], nlohmann::json::parse(R"({"nodes": 3, "fitting": 1, "reasons": [
      {"reason": "safe: nobody knows", "nodes": 1},
      {"reason": "safe: risk 0.85 > 0.30, 100 percent sure", "nodes": 1}]})"));
  EXPECT_EQ(json["agents"][0], nlohmann::json::parse(R"({"name": "safe", "weight": 1.0,
      "filters": true, "scores": true})"));
  ASSERT_EQ(json["nodes"].size(), 3U);
  EXPECT_EQ(json["nodes"][0], nlohmann::json::parse(R"({
      "name": "calm", "fits": true, "verdict": "fits", "score": 7, "value": 0.65, "agents": [
        {"agent": "safe", "verdict": "fits", "score": 9, "value": 0.9, "why": "risk 0.10",
         "scorers": [{"name": "worst", "score": 0, "value": 0.0, "why": "always"}]},
        {"agent": "wind", "verdict": "fits", "score": 4, "value": 0.4}]})"));
  EXPECT_EQ(json["nodes"][1]["verdict"], "unresolvable");
  EXPECT_EQ(json["nodes"][1]["reason"], "safe: nobody knows");
}

TEST_F(ExplainPod, YamlSaysTheSameAsJson) {
  const YAML::Node yaml = YAML::Load(Explain({"web-7c9d", "-o", "yaml"}).out);
  EXPECT_EQ(yaml["pod"]["requests"]["cpu"].Scalar(), "500m");
  EXPECT_EQ(yaml["nodes"][2]["agents"][0]["score"].as<int>(), 2);
}

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
  EXPECT_THAT(ran.out, HasSubstr("Fits:      0 of 1 node, kube-scheduler's own filters aside\n"
                                 "Fault:     wind: the mast is down (from /wind/filter: the "
                                 "scheduler fails, and places the pod nowhere)\n"
                                 "\n"
                                 "NODE  FITS  TOTAL  AGENT  VERDICT    SCORE  WHY\n"
                                 "n1    ?         6  safe   fits          10  risk 0.00\n"
                                 "                   wind   no answer      2\n"));
}

TEST_F(ExplainPod, ListsValuesThatCouldNotBeUsed) {
  const TempFile dump(
      "kind: NodeList\nitems:\n- metadata: {name: n1, annotations: {risk: high}}\n"
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
            "note: pod p: spec.overhead.cpu: \"x\" is not accepted: a quantity such as 250m, 1.5Gi "
            "or 2e3; taken as absent\n"
            "note: node n1: status.allocatable.cpu: \"lots\" is not accepted: a quantity such as "
            "250m, 1.5Gi or 2e3; taken as absent\n"
            "note: safe: node n1: risk: \"high\" is not accepted: a decimal number; taken as "
            "absent\n");
}

TEST_F(ExplainPod, IsColoredForPeopleAlone) {
  const auto colored = [this](const std::vector<std::string>& more, const Around& around) {
    std::vector<std::string> arguments = {"web-7c9d"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Explain(arguments, around).out.find("\x1b[") != std::string::npos;
  };
  const Around terminal{{}, "", {true, 80}};
  EXPECT_TRUE(colored({}, terminal));
  EXPECT_FALSE(colored({}, {}));
  EXPECT_FALSE(colored({}, {{{"NO_COLOR", "1"}}, "", {true, 80}}));
  EXPECT_TRUE(colored({}, {{{"NO_COLOR", ""}}, "", {true, 80}}));
  EXPECT_FALSE(colored({}, {{{"TERM", "dumb"}}, "", {true, 80}}));
  EXPECT_FALSE(colored({"--color", "never"}, terminal));
  EXPECT_TRUE(colored({"--color=always"}, {}));
  EXPECT_FALSE(colored({"--color=always", "-o", "json"}, {}));
}

TEST_F(ExplainPod, CutsTheTableToTheWidthOfATerminal) {
  const std::string out = Explain({"web-7c9d", "--color", "never"}, {{}, "", {true, 60}}).out;
  EXPECT_THAT(out, HasSubstr("rough  no        3  safe   rejected          2  risk 0.85...\n"));
  EXPECT_THAT(out, HasSubstr("1 safe: risk 0.85 > 0.30, 100 percent sure\n"));
}

struct Failing {
  const char* name;
  std::vector<std::string> arguments;
  const char* input;
  int code;
  const char* message;
};

class ExplainPodFails : public ::testing::TestWithParam<Failing> {};

TEST_P(ExplainPodFails, WithTheReason) {
  const TempFile dump(kDump, "dump.yaml");
  const TempFile pod(kPod, "pod.yaml");
  std::vector<std::string> arguments = {"explain", "pod"};
  for (const std::string& argument : GetParam().arguments) {
    arguments.push_back(argument == "DUMP"  ? dump.path()
                        : argument == "POD" ? pod.path()
                                            : argument);
  }
  const Ran ran = RunIt(arguments, {{}, GetParam().input});
  EXPECT_EQ(ran.code, GetParam().code);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(GetParam().message));
}

const Failing kFailing[] = {
    {"NoPod", {"--cluster", "DUMP"}, "", 2, "wants either the name of a pod or --filename FILE"},
    {"TwoPods", {"web", "-f", "POD"}, "", 2, "wants either the name of a pod or --filename FILE"},
    {"NoCluster", {"web"}, "", 1, "give --kubeconfig FILE, or --cluster FILE"},
    {"TwoClusters", {"web", "--cluster", "DUMP", "--context", "c"}, "", 2, "--cluster is in its"},
    {"InputTwice", {"-f", "-", "--cluster", "-"}, "", 2, "both read standard input"},
    {"UnknownPod",
     {"web", "--cluster", "DUMP"},
     "",
     1,
     "has no pod web; names that are near: web-7c9d\n"},
    {"MistypedPod", {"wbe-7c9d", "--cluster", "DUMP"}, "", 1, "names that are near: web-7c9d\n"},
    {"OtherNamespace",
     {"web-7c9d", "-n", "shp", "--cluster", "DUMP"},
     "",
     1,
     "has no pod web-7c9d in namespace shp; there is one in namespace shop\n"},
    {"SeveralNamespaces",
     {"job", "--cluster", "DUMP"},
     "",
     2,
     "has a pod job in each of the namespaces a and b; choose one with --namespace\n"},
    {"DumpWithoutPods",
     {"web", "--cluster", "-"},
     "kind: Node\nmetadata: {name: n1}\n",
     1,
     "standard input has no pod web; it has no pods at all: expected is what `kubectl get"},
    {"DumpWithoutNodes",
     {"-f", "POD", "--cluster", "-"},
     "kind: List\nitems: [{kind: Pod}, {kind: Pod}, {kind: Lease}]\n",
     1,
     "standard input has no nodes (objects by kind: 1 Lease and 2 Pod); expected is what"},
    {"NodeTwice",
     {"-f", "POD", "--cluster", "-"},
     "kind: NodeList\nitems: [{metadata: {name: n1}}, {metadata: {name: n1}}]\n",
     2,
     "standard input: node n1 is given twice\n"},
    {"OtherKindInPodFile",
     {"-f", "-", "--cluster", "DUMP"},
     "kind: Deployment\n",
     2,
     "standard input: kind Deployment is not accepted: one Pod\n"},
    {"TwoPodsInPodFile",
     {"-f", "-", "--cluster", "DUMP"},
     "kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: b}\n",
     2,
     "standard input: has 2 pods (a and b); accepted is one\n"},
    {"NamespacesDisagree",
     {"-f", "-", "-n", "a", "--cluster", "DUMP"},
     "kind: Pod\nmetadata: {name: p, namespace: b}\n",
     2,
     "--namespace a: the pod in standard input is in namespace b\n"},
    {"BrokenYaml",
     {"-f", "-", "--cluster", "DUMP"},
     "kind: Pod\nmetadata: [\n",
     2,
     "standard input:3:1: not YAML: "},
    {"BrokenJson",
     {"-f", "-", "--cluster", "DUMP"},
     "{\"kind\": \"Pod\",\n  oh}",
     2,
     "standard input:2:3: not JSON: "},
    {"FileThatIsNotThere",
     {"-f", "/nonexistent/p", "--cluster", "DUMP"},
     "",
     1,
     "cannot read /nonexistent/p"},
    {"UnknownNode",
     {"-f", "POD", "--cluster", "DUMP", "--nodes", "calm,ruogh"},
     "",
     1,
     "--nodes: the cluster has no node ruogh; did you mean rough?\n"},
    {"UnknownAgent",
     {"-f", "POD", "--cluster", "DUMP", "--agents", "sfae"},
     "",
     2,
     "did you mean safe?"},
    {"UnknownForm", {"-f", "POD", "-o", "xml"}, "", 2, "\"xml\" is not accepted: table, wide, "},
    {"UnknownFlag",
     {"--clster", "x"},
     "",
     2,
     "outrigger explain pod has no flag --clster; did you mean --cluster?"},
    {"FlagOfServe", {"web", "--port", "1"}, "", 2, "outrigger explain pod has no flag --port"},
    {"SecondPod", {"a", "b"}, "", 2, "outrigger explain pod takes no argument \"b\""},
};
INSTANTIATE_TEST_SUITE_P(Rows, ExplainPodFails, ::testing::ValuesIn(kFailing),
                         [](const auto& row) { return row.param.name; });

TEST(Explain, WantsToKnowWhat) {
  EXPECT_EQ(RunIt({"explain"}).err,
            "outrigger: explain wants to know what to explain: pod; see `outrigger explain "
            "--help`\n");
  EXPECT_EQ(RunIt({"explain", "pdo"}).err,
            "outrigger: there is no command \"explain pdo\"; did you mean pod?; see `outrigger "
            "explain --help`\n");
  EXPECT_THAT(RunIt({"explain", "--help"}).out, HasSubstr("pod "));
}

TEST(Explain, SpeaksAsAPluginOfKubectl) {
  Around plugin;
  plugin.program = "kubectl outrigger";
  EXPECT_THAT(RunIt({"explain", "pod", "--help"}, plugin).out,
              HasSubstr("kubectl outrigger explain pod [OPTIONS]"));
  EXPECT_EQ(RunIt({"explain"}, plugin).err,
            "kubectl outrigger: explain wants to know what to explain: pod; see `kubectl outrigger "
            "explain --help`\n");
}

}  // namespace
}  // namespace outrigger::cli
