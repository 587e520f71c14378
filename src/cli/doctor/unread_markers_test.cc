// `outrigger doctor --cluster` and `--live`: markers of groups that no agent reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/run.h"
#include "console/program_testing.h"
#include "doctor_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using testing::Configuration;
using testing::DoctorAgents;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::TempFile;

Ran Doctor(std::vector<std::string> arguments, const std::string& agents = "safe,gang") {
  arguments.insert(arguments.begin(), {"doctor", "-"});
  std::istringstream in(Configuration(agents));
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {}, {}, in, out, err};
  const int code = cli::Run(arguments, world);
  return {code, out.str(), err.str()};
}

std::string PodNamed(const std::string& name, const std::string& metadata,
                     const std::string& spec = "", const std::string& phase = "Pending") {
  return fmt::format(
      R"({{"kind":"Pod","metadata":{{"name":"{}","namespace":"lab"{}}},"spec":{{{}}},)"
      R"("status":{{"phase":"{}"}}}})",
      name, metadata, spec, phase);
}

const std::string kKueue = R"(,"labels":{"kueue.x-k8s.io/pod-group-name":"g"})";

std::string ListOf(const std::vector<std::string>& pods) {
  return fmt::format(R"({{"kind":"List","items":[{}]}})", fmt::join(pods, ","));
}

Ran DoctorOf(const std::vector<std::string>& pods, std::vector<std::string> more = {},
             const std::string& agents = "safe,gang") {
  const TempFile file(ListOf(pods), "pods.json");
  more.insert(more.end(), {"--cluster", file.path()});
  return Doctor(more, agents);
}

struct KindRow {
  std::string name;
  std::string pod;
  std::string found;
};

class DoctorFindsUnread : public ::testing::TestWithParam<KindRow> {};

TEST_P(DoctorFindsUnread, Marker) {
  const Ran ran = DoctorOf({GetParam().pod});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.code, 0) << "a warning";
  EXPECT_THAT(ran.out, HasSubstr("Found:  1 warning\n\nwarning marker-unread (pod lab/p)\n"));
  EXPECT_THAT(ran.out, HasSubstr("  Found: 1 pod: " + GetParam().found));
  EXPECT_THAT(ran.out, HasSubstr("docs/pod-groups.md"));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorFindsUnread,
    ::testing::Values(
        KindRow{"Kueue", PodNamed("p", kKueue),
                "label kueue.x-k8s.io/pod-group-name of Kueue is not supported"},
        KindRow{"Kai", PodNamed("p", R"(,"annotations":{"pod-group-name":"g"})"),
                "annotation pod-group-name of KAI Scheduler is not supported"},
        KindRow{"Volcano",
                PodNamed("p", R"(,"annotations":{"scheduling.volcano.sh/group-min-member":"2"})"),
                "annotation scheduling.volcano.sh/group-min-member of Volcano is not supported"},
        KindRow{"WrongPlace", PodNamed("p", R"(,"labels":{"scheduling.k8s.io/group-name":"g"})"),
                "label scheduling.k8s.io/group-name of Volcano is not supported"},
        KindRow{"YuniKorn",
                PodNamed("p", R"(,"annotations":{"yunikorn.apache.org/task-group-name":"g"})"),
                "annotation yunikorn.apache.org/task-group-name of YuniKorn is not supported"},
        KindRow{"HalfAPair",
                PodNamed("p", R"(,"labels":{"pod-group.scheduling.sigs.k8s.io/name":"g"})"),
                "no pod of the group names its minimum (label "
                "pod-group.scheduling.sigs.k8s.io/min-available): its pods start one by one"},
        KindRow{"NoMinimum", PodNamed("p", R"(,"labels":{"podGroup":"g"})"),
                "no pod of the group names its minimum (label minAvailable)"},
        KindRow{"Workload", PodNamed("p", "", R"("workloadRef":{"name":"w","podGroup":"g"})"),
                "field spec.workloadRef of Kubernetes 1.35 is not supported"}),
    [](const auto& row) { return row.param.name; });

TEST(DoctorOfPods, LooksForTheMinimumAtAllPodsOfAGroup) {
  const std::string name = R"(,"labels":{"podGroup":"g"})";
  const std::string leader = R"(,"labels":{"podGroup":"g","minAvailable":"2"})";
  const std::string other = R"(,"labels":{"podGroup":"h"})";
  const Ran ran = DoctorOf({PodNamed("a", name), PodNamed("l", leader, R"("nodeName":"n")"),
                            PodNamed("b", name), PodNamed("c", other)});
  EXPECT_THAT(ran.out, HasSubstr("marker-unread (pod lab/c)"));
  EXPECT_THAT(ran.out, HasSubstr("1 pod: no pod of the group names"));
}

TEST(DoctorOfPods, HasOneFindingForEachKind) {
  const Ran ran = DoctorOf({PodNamed("a", kKueue), PodNamed("b", kKueue), PodNamed("c", kKueue),
                            PodNamed("k", R"(,"annotations":{"pod-group-name":"g"})")},
                           {"-o", "json"});
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["findings"][1]["id"], "marker-unread");
  EXPECT_EQ(json["findings"][1]["place"], "pod lab/a");
  EXPECT_EQ(json["findings"][1]["line"], 0);
  EXPECT_THAT(json["findings"][1]["found"], HasSubstr("3 pods: label kueue"));
}

struct QuietRow {
  std::string name;
  std::string pod;
};

class DoctorOfPodsIsQuiet : public ::testing::TestWithParam<QuietRow> {};

TEST_P(DoctorOfPodsIsQuiet, About) {
  EXPECT_THAT(DoctorOf({GetParam().pod}).out, HasSubstr("Found:  nothing\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorOfPodsIsQuiet,
    ::testing::Values(
        QuietRow{"Single", PodNamed("p", "")},
        QuietRow{"AMarkerThatIsRead", PodNamed("p",
                                               R"(,"labels":{"podGroup":"g","minAvailable":"2",)"
                                               R"("kueue.x-k8s.io/pod-group-name":"g"})",
                                               R"("nodeName":"n")")},
        QuietRow{"AnotherScheduler", PodNamed("p", kKueue, R"("schedulerName":"kai-scheduler")")},
        QuietRow{"Finished", PodNamed("p", kKueue, "", "Succeeded")}),
    [](const auto& row) { return row.param.name; });

TEST(DoctorOfPods, CountsThoseOfTheSchedulersThatTheAgentPlansFor) {
  const Ran ran = DoctorOf({PodNamed("p", kKueue, R"("schedulerName":"mine")")},
                           {"--gang.scheduler-names", "default-scheduler,mine"});
  EXPECT_THAT(ran.out, HasSubstr("marker-unread"));
}

TEST(DoctorOfPods, SaysWhatWasNotThereToRead) {
  EXPECT_EQ(DoctorOf({}).err, "note: the cluster has no pods\n");
  EXPECT_THAT(DoctorOf({PodNamed("p", kKueue)}, {}, "safe").out, Not(HasSubstr("marker-unread")));
}

// A cluster with a pod, and with a node of these annotations.
kube::RawServer ServerWith(const std::string& annotations) {
  return kube::RawServer([annotations](kube::RawPeer& peer, size_t) {
    const std::string node =
        fmt::format(R"({{"metadata":{{"name":"n","annotations":{}}}}})", annotations);
    for (std::string request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
      const std::string line = request.substr(0, request.find('\n'));
      const bool pods = line.find("/api/v1/pods?") != std::string::npos;
      const bool nodes = line.find("/api/v1/nodes?") != std::string::npos;
      peer.Send(kube::Answer(
          pods || nodes ? 200 : 404,
          fmt::format(R"({{"kind":"{}","metadata":{{"resourceVersion":"7"}},"items":[{}]}})",
                      pods ? "PodList" : "NodeList", pods ? PodNamed("live", kKueue) : node)));
    }
  });
}

std::string KubeconfigOf(const kube::RawServer& server) {
  return fmt::format(
      "clusters: [{{name: c, cluster: {{server: '{}'}}}}]\n"
      "contexts: [{{name: x, context: {{cluster: c}}}}]\n"
      "current-context: x\n",
      server.url());
}

TEST(DoctorOfPods, AsksALiveCluster) {
  const kube::RawServer server = ServerWith(R"({"mean-free-cpu":"1"})");
  const TempFile kubeconfig(KubeconfigOf(server));
  const Ran ran = Doctor({"--live", "--kubeconfig", kubeconfig.path()});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("warning marker-unread (pod lab/live)\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("not-measured")));
  EXPECT_THAT(Doctor({}).out, Not(HasSubstr("marker-unread")));
}

TEST(DoctorOfPods, WarnsOfSafeWhereNoNodeIsMeasured) {
  const kube::RawServer server = ServerWith("{}");
  const TempFile kubeconfig(KubeconfigOf(server));
  EXPECT_THAT(
      Doctor({"--live", "--kubeconfig", kubeconfig.path()}).out,
      HasSubstr("warning not-measured (node n)\n  Found: none of 1 nodes has mean-free-cpu"));
  EXPECT_THAT(Doctor({"--live", "--kubeconfig", kubeconfig.path()}, "gang").out,
              Not(HasSubstr("not-measured")));
}

struct RefusedRow {
  std::string name;
  std::vector<std::string> arguments;
  std::string error;
};

class DoctorOfPodsRefuses : public ::testing::TestWithParam<RefusedRow> {};

TEST_P(DoctorOfPodsRefuses, Flags) {
  const Ran ran = Doctor(GetParam().arguments);
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorOfPodsRefuses,
    ::testing::Values(
        RefusedRow{"Both", {"--live", "--cluster", "f"}, "give either --live or --cluster"},
        RefusedRow{"AKubeconfigAlone", {"--kubeconfig", "f"}, "need --live"},
        RefusedRow{"AContextAlone", {"--context", "c"}, "need --live"},
        RefusedRow{"StandardInputTwice", {"--cluster", "-"}, "only one can"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
