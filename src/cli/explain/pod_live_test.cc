// What `outrigger explain pod` says of a pod that the API server does not have.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"

namespace outrigger::cli {
namespace {

using kube::RawPeer;
using kube::RawServer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

std::string List(const std::string& kind, const std::string& items) {
  return kube::Answer(
      200, fmt::format(R"({{"kind":"{}List","metadata":{{"resourceVersion":"7"}},"items":[{}]}})",
                       kind, items));
}

std::string Refusal(int code, const std::string& message) {
  return kube::Answer(
      code, fmt::format(R"({{"kind":"Status","code":{},"message":"{}"}})", code, message));
}

std::string PodOf(const std::string& name_space, const std::string& name) {
  return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"{}"}},"spec":{{}}}})", name,
                     name_space);
}

const std::string kNode = R"({"metadata":{"name":"n1"},"status":{"allocatable":{"pods":"9"}}})";

struct Absent {
  const char* name;
  std::string everywhere;    // answer: pods of that name in all namespaces
  std::string in_namespace;  // answer: pods of the namespace
  std::string nodes;         // answer
  const char* message;       // behind the address of the server
};
class PodThatIsNotThere : public ::testing::TestWithParam<Absent> {};

TEST_P(PodThatIsNotThere, IsSoughtElsewhere) {
  const RawServer server([](RawPeer& peer, size_t) {
    for (std::string request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
      const std::string line = request.substr(0, request.find('\n'));
      const auto asks = [&line](const char* text) { return line.find(text) != std::string::npos; };
      if (asks("/namespaces/lab/pods/web?")) {
        peer.Send(Refusal(404, "pods web not found"));
      } else if (asks("/namespaces/lab/pods?")) {
        peer.Send(GetParam().in_namespace);
      } else if (asks("/api/v1/pods?") && asks("fieldSelector=metadata.name%3Dweb")) {
        peer.Send(GetParam().everywhere);
      } else {
        peer.Send(asks("/api/v1/nodes?") ? GetParam().nodes : Refusal(500, "asked for " + line));
      }
    }
  });
  const TempFile file(
      fmt::format("clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                  "users: [{{name: u, user: {{}}}}]\n"
                  "contexts: [{{name: x, context: {{cluster: c, user: u, namespace: shop}}}}]\n"
                  "current-context: x\n",
                  server.url()),
      "config");
  const Ran ran = RunProgram({"explain", "pod", "web", "-n", "lab", "--kubeconfig", file.path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "outrigger: " + server.url() + GetParam().message);
}

const std::string kNoPods = List("Pod", "");

INSTANTIATE_TEST_SUITE_P(
    Rows, PodThatIsNotThere,
    ::testing::Values(
        Absent{"InOtherNamespaces", List("Pod", PodOf("a", "web") + "," + PodOf("shop", "web")),
               List("Pod", PodOf("lab", "web-1")), List("Node", kNode),
               " has no pod web in namespace lab; there is one in namespace a and shop\n"},
        Absent{"ButOneWithANameThatIsNear", kNoPods, List("Pod", PodOf("lab", "web-1")),
               List("Node", kNode), " has no pod web in namespace lab; similar names: web-1\n"},
        Absent{"AndOthersAreNotNear", kNoPods, List("Pod", PodOf("lab", "database")),
               List("Node", kNode), " has no pod web in namespace lab\n"},
        Absent{"InANamespaceWithoutPods", kNoPods, kNoPods, List("Node", kNode),
               " has no pod web in namespace lab\n"},
        Absent{"AndOtherNamespacesMayNotBeRead", Refusal(403, "pods is forbidden"),
               List("Pod", PodOf("lab", "web-1")), List("Node", kNode),
               " has no pod web in namespace lab; similar names: web-1\n"},
        Absent{"AndNoNamespaceMayBeRead", Refusal(403, "pods is forbidden"),
               Refusal(403, "pods is forbidden"), List("Node", kNode),
               " has no pod web in namespace lab\n"}),
    [](const auto& row) { return row.param.name; });

TEST(ExplainPodHelp, SaysWhichNamespaceIsMeantWithoutOne) {
  for (const char* what : {"pod", "gang"}) {
    const std::string help = RunProgram({"explain", what, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("the context's")) << what;
    EXPECT_THAT(help, Not(HasSubstr("needed where the name is in several"))) << what;
  }
}

}  // namespace
}  // namespace outrigger::cli
