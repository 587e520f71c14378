// What `outrigger explain` refuses, in which words and with which exit code.

#include "console/explain_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using testing::Ran;
using testing::TempFile;

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
    {"NoPod", {"--cluster", "DUMP"}, "", 2, "needs either a pod name or --filename FILE"},
    {"TwoPods", {"web", "-f", "POD"}, "", 2, "needs either a pod name or --filename FILE"},
    {"NoCluster", {"web"}, "", 1, "give --kubeconfig FILE, or --cluster FILE"},
    {"TwoClusters", {"web", "--cluster", "DUMP", "--context", "c"}, "", 2, "--cluster replaces it"},
    {"InputTwice", {"-f", "-", "--cluster", "-"}, "", 2, "both read standard input"},
    {"UnknownPod",
     {"web", "--cluster", "DUMP"},
     "",
     1,
     "has no pod web; similar names: web-7c9d\n"},
    {"MistypedPod", {"wbe-7c9d", "--cluster", "DUMP"}, "", 1, "similar names: web-7c9d\n"},
    {"OtherNamespace",
     {"web-7c9d", "-n", "shp", "--cluster", "DUMP"},
     "",
     1,
     "has no pod web-7c9d in namespace shp; there is one in namespace shop\n"},
    {"NamespaceInTheName",
     {"shp/web-7c9d", "--cluster", "DUMP"},
     "",
     1,
     "has no pod web-7c9d in namespace shp; there is one in namespace shop\n"},
    {"NamespaceTwice",
     {"shop/web-7c9d", "-n", "a", "--cluster", "DUMP"},
     "",
     2,
     "--namespace a: pod shop/web-7c9d is in namespace shop\n"},
    {"SlashesInTheName",
     {"pod/shop/web-7c9d", "--cluster", "DUMP"},
     "",
     2,
     "\"pod/shop/web-7c9d\" is not accepted; expected NAME, NAMESPACE/NAME or pod/NAME\n"},
    {"NothingBehindTheSlash",
     {"shop/", "--cluster", "DUMP"},
     "",
     2,
     "\"shop/\" is not accepted; expected NAME, NAMESPACE/NAME or pod/NAME\n"},
    {"SeveralNamespaces",
     {"job", "--cluster", "DUMP"},
     "",
     2,
     "has a pod job in each of the namespaces a and b; choose one with --namespace\n"},
    {"DumpWithoutPods",
     {"web", "--cluster", "-"},
     "kind: Node\nmetadata: {name: n1}\n",
     1,
     "standard input has no pod web; it has no pods: expected what `kubectl get"},
    {"DumpWithoutNodes",
     {"-f", "POD", "--cluster", "-"},
     "kind: List\nitems: [{kind: Pod}, {kind: Pod}, {kind: Lease}]\n",
     1,
     "standard input has no nodes (objects by kind: 1 Lease and 2 Pod); expected what"},
    {"NodeTwice",
     {"-f", "POD", "--cluster", "-"},
     "kind: NodeList\nitems: [{metadata: {name: n1}}, {metadata: {name: n1}}]\n",
     2,
     "standard input: node n1 is given twice\n"},
    {"OtherKindInPodFile",
     {"-f", "-", "--cluster", "DUMP"},
     "kind: Deployment\n---\nkind: Service\n",
     2,
     "standard input: has no pod (1 Deployment and 1 Service); expected Pods or objects with a pod "
     "template, such as Job, Deployment and StatefulSet\n"},
    {"WrongValueInATemplate",
     {"-f", "-", "--cluster", "DUMP"},
     "kind: Job\nspec: {template: {spec: {containers: [{name: [1]}]}}}\n",
     2,
     "standard input: pod template of the Job: spec.containers[0].name: "},
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
    {"UnknownForm",
     {"-f", "POD", "-o", "xml"},
     "",
     2,
     "\"xml\" is not accepted; expected table, wide, "},
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
            "outrigger: explain needs a subcommand: pod, claim, gang, queue or penalty; see "
            "`outrigger explain --help`\n");
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
            "kubectl outrigger: explain needs a subcommand: pod, claim, gang, queue or penalty; "
            "see `kubectl outrigger explain --help`\n");
}

}  // namespace
}  // namespace outrigger::cli
