// `outrigger explain gang`, as a user runs it on what kubectl printed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "console/explain_testing.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "gang_dump_testing.h"
#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

class ExplainGang : public ::testing::Test {
 protected:
  Ran Explain(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"explain", "gang", "--cluster", dump_.path()});
    return RunProgram(arguments);
  }
  const TempFile dump_{kGangDump, "dump.yaml"};
};

TEST_F(ExplainGang, SaysWhereAGangGoesThatFits) {
  const Ran ran = Explain({"train", "-n", "shop"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "Gang:      shop/train\n"
            "Dialect:   labels\n"
            "Minimum:   2\n"
            "Members:   2 exist, 0 bound\n"
            "Queue:     1st of 3 that wait\n"
            "State:     fits\n"
            "\n"
            "MEMBER   STATE   NODE\n"
            "train-0  placed  n1\n"
            "train-1  placed  n1\n"
            "\n"
            "Gang:      shop/train\n"
            "Dialect:   scheduling.volcano.sh\n"
            "Minimum:   3\n"
            "Members:   0 exist, 0 bound\n"
            "Queue:     not in it\n"
            "State:     no members\n");
}

// Resources that stand for calls are nowhere: a gang that asks for them fits all the same.
constexpr char kAskingDump[] = R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1},
   status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: a-0, namespace: shop, uid: a0, labels: {podGroup: a, minAvailable: "2"}},
   spec: {containers: [{name: c, resources: {requests:
          {cpu: "1", outrigger.dev/gang: "1", outrigger.dev/gang-bind: "1"}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: a-1, namespace: shop, uid: a1, labels: {podGroup: a, minAvailable: "2"}},
   spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}
- {apiVersion: v1, kind: Pod,
   metadata: {name: b-0, namespace: shop, uid: b0, labels: {podGroup: b, minAvailable: "1"}},
   spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}
)";

TEST(ExplainGangThatAsks, FitsOnNodesWithoutTheResourcesAndNamesWhoDoesNotAsk) {
  const TempFile dump(kAskingDump, "dump.yaml");
  const auto explain = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"explain", "gang", "--cluster", dump.path()});
    return RunProgram(more).out;
  };
  const std::string kMissing = "outrigger.dev/gang and outrigger.dev/gang-bind";
  EXPECT_THAT(explain({"a"}),
              HasSubstr("State:     fits\n"
                        "Not asked: 1 member does not request " +
                        kMissing + ", so kube-scheduler places it as a single pod: a-1\n"));
  const auto json = nlohmann::json::parse(explain({"a", "-o", "json"}));
  EXPECT_EQ(json["gangs"][0]["notAsking"][0]["resources"], kMissing);
  EXPECT_EQ(json["gangs"][0]["notAsking"][0]["pods"], nlohmann::json({"a-1"}));
  EXPECT_THAT(explain({"b"}), Not(HasSubstr("Not asked:"))) << "it need not";
  EXPECT_THAT(explain({"b", "--only-groups"}), HasSubstr("Not asked: 1 member does not request"));
}

// Four members with room, two with the gate; of big, which has no room, both.
std::string GatedDump(const std::string& nominated) {
  std::string dump = R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1},
   status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
)";
  const auto add = [&](std::string_view gang, std::string_view index, std::string_view cpu) {
    dump += fmt::format(
        R"(- {{apiVersion: v1, kind: Pod,
   metadata: {{name: {0}-{1}, namespace: shop, uid: {0}-{1},
              labels: {{podGroup: {0}, minAvailable: "2"}}}},
   spec: {{schedulingGates: [{{name: outrigger.dev/queue}}],
          containers: [{{name: c, resources: {{requests: {{cpu: "{2}"}}}}}}]}},
   status: {{{3}}}}}
)",
        gang, index, cpu, gang == "a" ? nominated : "");
  };
  for (const char* index : {"0", "1"}) add("a", index, "1");
  for (const char* index : {"0", "1"}) add("b", index, "3");
  return dump;
}

TEST(ExplainGatedGang, SaysWhatItsReleaseWaitsFor) {
  const auto explain = [](const std::string& dump, const std::string& gang) {
    const TempFile file(dump, "gated.yaml");
    return RunProgram({"explain", "gang", "--cluster", file.path(), gang, "-n", "shop"}).out;
  };
  const std::string gate = "Gate:      2 of 2 existing members have the gate outrigger.dev/queue: ";
  EXPECT_THAT(explain(GatedDump(""), "a"),
              AllOf(HasSubstr("State:     fits\n"), HasSubstr("a-0     queued  n1\n"),
                    HasSubstr(gate + "an agent with gates releases it once all its pods have a "
                                     "nominated node; 0 of 2 have one\n")));
  const std::string nominated = GatedDump("nominatedNodeName: n1");
  EXPECT_THAT(explain(nominated, "a"),
              HasSubstr(gate + "an agent with gates releases it in queue order (window): 0 "
                               "released members of gangs with nodes are not bound yet\n"));
  EXPECT_THAT(explain(nominated, "b"), AllOf(HasSubstr("State:     waits: cpu\n"),
                                             HasSubstr(gate + "the gang has no place")));
}

TEST_F(ExplainGang, SaysWhatIsShortOfOneThatWaits) {
  const Ran ran = Explain({"big"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out,
            "Gang:      shop/big\n"
            "Dialect:   labels\n"
            "Minimum:   2\n"
            "Members:   2 exist, 0 bound; not counted: 1 gated by example.com/hold\n"
            "Queue:     2nd of 3 that wait; placed before it: 1\n"
            "State:     waits: cpu\n"
            "Why:       2 members need cpu 3 each, 1 fits; 2 more nodes with cpu 3 free would do\n"
            "\n"
            "MEMBER  STATE  NODE\n"
            "big-0   waits  -\n"
            "big-1   waits  -\n"
            "big-2   gated  -\n");
}

TEST_F(ExplainGang, SaysWhyOneIsNotPlanned) {
  EXPECT_THAT(Explain({"few"}).out, HasSubstr("Queue:     not in it\n"
                                              "State:     waits: members\n"
                                              "Why:       1 of 4 members exist\n"));
  EXPECT_THAT(Explain({"lost"}).out, HasSubstr("State:     waits: no PodGroup\n"
                                               "Why:       there is no PodGroup shop/lost"));
  EXPECT_THAT(Explain({"done"}).out, HasSubstr("State:     whole\n"));
  EXPECT_THAT(Explain({"big", "--scheduler-names", "a,b"}).out,
              HasSubstr("Members:   0 exist, 0 bound; not counted: 3 of another scheduler\n"));
}

// As the agent: 20 members with 60 constraints each that no other one has.
TEST_F(ExplainGang, SaysThatAllPodsTogetherAskForTooMuch) {
  std::string text = "kind: List\nitems:\n- {kind: Node, metadata: {name: n1}}\n";
  for (int pod = 0; pod < 20; ++pod) {
    text += fmt::format(
        "- {{kind: Pod, metadata: {{name: g-{}, namespace: a, labels: {{podGroup: g, minAvailable: "
        "\"20\"}}}}, spec: {{topologySpreadConstraints: [",
        pod);
    for (int i = 0; i < 60; ++i) {
      text += fmt::format(
          "{{maxSkew: 1, topologyKey: k-{}-{}, whenUnsatisfiable: DoNotSchedule, labelSelector: "
          "{{}}}}, ",
          pod, i);
    }
    text += "], containers: [{name: c}]}}\n";
  }
  const TempFile dump(text, "dump.yaml");
  const Ran ran = RunProgram({"explain", "gang", "g", "--cluster", dump.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(
      ran.out,
      HasSubstr("State:     waits: it asks for more than is planned\nWhy:       exceeds a limit of "
                "the planner: all pending pods together have more than 1024 different"));
}

TEST_F(ExplainGang, TellsOfADumpWithoutPodGroupsWhatItLacks) {
  const TempFile dump(
      "kind: List\nitems:\n- {kind: Node, metadata: {name: n1}}\n"
      "- {kind: Pod, metadata: {name: p, namespace: a, annotations: {"
      "scheduling.k8s.io/group-name: g}}}\n"
      "- {kind: PodGroup, apiVersion: example.com/v1, metadata: {name: g, namespace: a}}\n",
      "dump.yaml");
  const Ran ran = RunProgram({"explain", "gang", "g", "--cluster", dump.path()});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("waits: PodGroups are not served\n"));
  EXPECT_THAT(
      ran.err,
      HasSubstr("note: PodGroups of apiVersion \"example.com/v1\" are ignored: not supported"));
  EXPECT_THAT(ran.err, HasSubstr("`kubectl get nodes,pods,priorityclasses,"
                                 "podgroups.scheduling.volcano.sh -A"));
}

TEST_F(ExplainGang, NotesTheWorkloadOfKubernetes135WhichIsNotRead) {
  const TempFile dump(
      "kind: List\nitems:\n- {kind: Node, metadata: {name: n1}}\n"
      "- {kind: Pod, metadata: {name: p, namespace: a}, spec: {workloadRef: {name: w, podGroup: "
      "workers}}}\n",
      "dump.yaml");
  const Ran ran = RunProgram({"explain", "gang", "--cluster", dump.path()});
  EXPECT_THAT(
      ran.err,
      HasSubstr("note: a/w: field spec.workloadRef of Kubernetes 1.35 is not supported: its pods "
                "are in no group and start one by one; use labels podGroup and minAvailable\n"));
}

TEST_F(ExplainGang, NamesAVersionOfPodGroupsThatIsNotKnown) {
  const TempFile dump(
      "kind: List\nitems:\n- {kind: Node, metadata: {name: n1}}\n"
      "- {kind: Pod, metadata: {name: p, namespace: a}, spec: {schedulingGroup: {podGroupName: "
      "g}}}\n"
      "- {kind: PodGroup, apiVersion: scheduling.k8s.io/v7, metadata: {name: g, namespace: a}}\n",
      "dump.yaml");
  const Ran ran = RunProgram({"explain", "gang", "g", "--cluster", dump.path()});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(
      ran.out,
      HasSubstr(
          "State:     waits: the version of PodGroups is not known\nWhy:       the API server "
          "serves podgroups.scheduling.k8s.io in version v7, which is not supported\n"));
}

TEST_F(ExplainGang, ReadsUpstreamsPodGroupsInEveryKnownVersion) {
  for (const char* version : {"v1beta1", "v1alpha3", "v1alpha2"}) {
    const TempFile dump(std::string("kind: List\nitems:\n- {kind: Node, metadata: {name: n1}}\n"
                                    "- {kind: Pod, metadata: {name: p, namespace: a}, "
                                    "spec: {schedulingGroup: {podGroupName: g}}}\n"
                                    "- {kind: PodGroup, metadata: {name: g, namespace: a}, "
                                    "spec: {schedulingPolicy: {gang: {minCount: 2}}}, "
                                    "apiVersion: scheduling.k8s.io/") +
                            version + "}\n",
                        "dump.yaml");
    EXPECT_THAT(RunProgram({"explain", "gang", "g", "--cluster", dump.path()}).out,
                HasSubstr("Why:       1 of 2 members exist\n"))
        << version;
  }
}

TEST_F(ExplainGang, ListsAllWithoutAName) {
  const Ran ran = Explain({});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(
      ran.out,
      "NAMESPACE  GANG   DIALECT                 MINIMUM  MEMBERS  BOUND  STATE\n"
      "lab        done   scheduling.x-k8s.io           1        1      1  whole\n"
      "lab        few    scheduling.sigs.k8s.io        4        1      0  waits: members\n"
      "shop       big    labels                        2        2      0  waits: cpu\n"
      "shop       lost   scheduling.x-k8s.io           -        1      0  waits: no PodGroup\n"
      "shop       train  labels                        2        2      0  fits\n"
      "shop       train  scheduling.volcano.sh         3        0      0  no members\n");
  EXPECT_THAT(Explain({"-n", "void"}).err, HasSubstr("no pod is in a gang"));
  EXPECT_THAT(Explain({"-n", "lab", "--color=always"}).out, HasSubstr("\x1b[32mwhole\x1b[0m"));
}

TEST_F(ExplainGang, PrintsJsonAndYamlForPrograms) {
  const auto json = nlohmann::json::parse(Explain({"big", "-o", "json"}).out);
  EXPECT_EQ(json.value("queueLength", 0), 3) << "train, big and the single pod web";
  EXPECT_FALSE(json.contains("waiting")) << "few and lost wait too, and are in no queue";
  ASSERT_EQ(json["gangs"].size(), 1U);
  EXPECT_EQ(json["gangs"][0], nlohmann::json::parse(R"({
      "namespace": "shop", "name": "big", "dialect": "labels", "minimum": 2,
      "members": {"existing": 2, "bound": 0, "queued": 0, "gated": 1, "otherScheduler": 0,
                  "terminating": 0, "finished": 0},
      "state": "waits", "cause": "cpu",
      "text": "2 members need cpu 3 each, 1 fits; 2 more nodes with cpu 3 free would do",
      "queue": {"place": 2, "placedBefore": 1},
      "pods": [{"name": "big-0", "state": "waits"}, {"name": "big-1", "state": "waits"},
               {"name": "big-2", "state": "gated"}]})"));
  const YAML::Node yaml = YAML::Load(Explain({"done", "-o", "yaml"}).out);
  EXPECT_EQ(yaml["gangs"][0]["pods"][0]["node"].Scalar(), "n1");
}

TEST_F(ExplainGang, KeepsTheNodeThatIsNominated) {
  const TempFile dump(
      "kind: List\nitems:\n- {kind: Node, metadata: {name: n1}, status: {allocatable: {pods: 9}}}\n"
      "- {kind: Node, metadata: {name: n2}, status: {allocatable: {pods: 9}}}\n"
      "- {kind: Pod, metadata: {name: p, namespace: a, labels: {podGroup: g, minAvailable: '1'}},\n"
      "   status: {nominatedNodeName: n2}}\n",
      "dump.yaml");
  EXPECT_THAT(RunProgram({"explain", "gang", "g", "--cluster", dump.path()}).out,
              HasSubstr("p       placed  n2\n"));
}

TEST_F(ExplainGang, RefusesWhatIsNotThere) {
  const auto refuses = [this](const std::vector<std::string>& arguments, int code,
                              const std::string& words) {
    const Ran ran = Explain(arguments);
    EXPECT_EQ(ran.code, code) << words;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(words));
  };
  refuses({"tran"}, 1, "has no gang tran; similar names: train\n");
  refuses({"big", "-n", "lab"}, 1,
          "no gang big in namespace lab; there is one in namespace shop\n");
  refuses({"nothing"}, 1, "has no gang nothing\n");
  refuses({""}, 2, "the name of the gang is empty");
  refuses({"big", "-o", "wide"}, 2, "\"wide\" is not accepted; expected table, json or yaml");
  refuses({"big", "--scheduler-names", ","}, 2, "--scheduler-names: \",\" is not accepted");
  refuses({"big", "--context", "c"}, 2, "--cluster replaces it");
  refuses({"big", "--nodes", "n1"}, 2, "outrigger explain gang has no flag --nodes");
  const TempFile empty("kind: PodList\nitems: []\n", "empty.yaml");
  const Ran ran = RunProgram({"explain", "gang", "--cluster", empty.path()});
  EXPECT_THAT(ran.err,
              HasSubstr("has no nodes (objects by kind: none); expected what `kubectl get "
                        "nodes,pods,podgroups,priorityclasses,pv,pvc,resourceclaims,deviceclasses "
                        "-A -o yaml` prints (omit podgroups if not installed; before Kubernetes "
                        "1.34 omit resourceclaims and deviceclasses)\n"));
}

TEST_F(ExplainGang, SaysWhatIsWrongWithTheMinimumsOfPods) {
  const auto pod = [](std::string_view name, std::string_view labels) {
    return fmt::format(
        "- {{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: shop, labels: {{{}}}}}, "
        "spec: {{}}}}\n",
        name, labels);
  };
  const TempFile file(
      std::string(kGangDump) + pod("odd-0", "podGroup: odd, minAvailable: two") +
          pod("bare-0", "podGroup: bare") + pod("l", "podGroup: pair, minAvailable: '2'") +
          pod("w", "podGroup: pair, minAvailable: '3'") + pod("x", "podGroup: pair"),
      "odd.yaml");
  const auto explain = [&](const std::string& name) {
    return RunProgram({"explain", "gang", name, "--cluster", file.path()});
  };
  EXPECT_THAT(explain("odd").out, HasSubstr("State:     one by one\n"));
  EXPECT_THAT(explain("odd").err,
              HasSubstr("shop/odd: label minAvailable of pod odd-0 is \"two\", expected an integer "
                        "from 1 to 100000; it is ignored\n"));
  EXPECT_THAT(explain("bare").out, HasSubstr("State:     one by one\n"));
  EXPECT_THAT(explain("bare").err, HasSubstr("shop/bare: no pod of the group names its minimum"));
  EXPECT_THAT(explain("pair").out, HasSubstr("Members:   3 exist, 0 bound\n"));
  EXPECT_THAT(explain("pair").err, HasSubstr("shop/pair: members have different values of label "
                                             "minAvailable; 2 counts, from the oldest, l\n"));
}

TEST(ExplainGangWithClaims, KnowsWhereVolumesAndDevicesMayBeUsed) {
  const std::string node =
      "- {{kind: Node, metadata: {{name: {0}, labels: {{host: {0}}}}}, status: "
      "{{allocatable: {{cpu: '4', pods: '9'}}}}}}\n";
  const std::string pod =
      "- {{kind: Pod, metadata: {{name: {0}, namespace: shop, labels: {{podGroup: train, "
      "minAvailable: '2'}}}}, spec: {{schedulerName: default-scheduler, {1}}}}}\n";
  const std::string on =
      "required: {nodeSelectorTerms: [{matchExpressions: [{key: host, operator: In, values: "
      "[n2]}]}]}";
  const std::string dump =
      "kind: List\nitems:\n" + fmt::format(fmt::runtime(node), "n1") +
      fmt::format(fmt::runtime(node), "n2") +
      fmt::format(fmt::runtime(pod), "a",
                  "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]") +
      fmt::format(fmt::runtime(pod), "b", "resourceClaims: [{name: g, resourceClaimName: gpu}]") +
      "- {kind: PersistentVolume, metadata: {name: pv}, spec: {nodeAffinity: {" + on + "}}}\n" +
      "- {kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: "
      "{volumeName: pv}}\n" +
      "- {kind: ResourceClaim, metadata: {name: gpu, namespace: shop}, status: {reservedFor: "
      "[{resource: pods, name: p, uid: u}], allocation: "
      "{nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, "
      "values: [n2]}]}]}}}}\n";
  const TempFile file(dump, "dump.yaml");
  const Ran ran = RunProgram({"explain", "gang", "train", "--cluster", file.path()});
  EXPECT_THAT(ran.out, HasSubstr("a       placed  n2\nb       placed  n2\n")) << ran.err;
  const TempFile twice(dump + "- {kind: PersistentVolume, metadata: {name: pv}}\n", "twice.yaml");
  EXPECT_THAT(RunProgram({"explain", "gang", "--cluster", twice.path()}).err,
              HasSubstr("PersistentVolume pv is given twice"));
}

TEST_F(ExplainGang, TakesTheNameThatConditionsSay) {
  EXPECT_EQ(Explain({"shop/big"}).out, Explain({"big", "-n", "shop"}).out);
  EXPECT_EQ(Explain({"shop/big", "-n", "shop"}).out, Explain({"shop/big"}).out);
  EXPECT_THAT(Explain({"lab/big"}).err,
              HasSubstr("has no gang big in namespace lab; there is one"));
  EXPECT_EQ(Explain({"shop/big", "-n", "lab"}).code, 2);
  EXPECT_THAT(Explain({"shop/big", "-n", "lab"}).err,
              HasSubstr("--namespace lab: gang shop/big is in namespace shop"));
}

class Likes final : public Agent, public Scorer {
 public:
  explicit Likes(const NoSettings& /*settings*/) {}
  absl::Status Score(const Request& /*r*/, std::span<NodeScore> /*s*/) const override {
    return absl::OkStatus();
  }
};

TEST_F(ExplainGang, IsPointedToByExplainPod) {
  const std::vector<AgentInfo> agents = {
      {"likes", "", 1, internal::MakeAgentFactory<Likes, NoSettings>()},
      {"plans", "", 2, internal::MakeAgentFactory<Plans, NoSettings>()}};
  const std::vector<std::string> arguments = {"explain", "pod", "web", "--cluster", dump_.path()};
  const Ran both = testing::RunProgram(arguments, {}, "", agents);
  EXPECT_EQ(both.code, 0);
  EXPECT_THAT(both.out, HasSubstr("\nn1    yes       0  likes  -            0\n"));
  EXPECT_EQ(both.err,
            "note: plans is left out: it can only be explained while serving; see `outrigger "
            "explain gang`\n");
  std::vector<std::string> plans = arguments;
  plans.emplace_back("--agents=plans");
  const Ran none = testing::RunProgram(plans, {}, "", agents);
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("outrigger: plans can only be explained while serving; see"));
}

}  // namespace
}  // namespace outrigger::cli
