// What `serve` and `explain pod` say of a way to the API server that is none, or leads nowhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "console/process/cluster_source.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"

namespace outrigger::cli {
namespace {

using kube::RawPeer;
using kube::RawServer;
using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

/// A kubeconfig whose cluster and user say what is given, as YAML in one line.
std::string Kubeconfig(const std::string& cluster, const std::string& user = "{}") {
  return fmt::format(
      "clusters: [{{name: c, cluster: {}}}]\n"
      "users: [{{name: u, user: {}}}]\n"
      "contexts: [{{name: x, context: {{cluster: c, user: u, namespace: shop}}}}]\n"
      "current-context: x\n",
      cluster, user);
}

std::string KubeconfigOf(const std::string& url) {
  return Kubeconfig(fmt::format("{{server: \"{}\"}}", url));
}

std::string NobodyListens() {
  const RawServer server([](RawPeer&, size_t) {});
  return server.url();
}

/// Runs it with what `serve` writes to the log behind the program's own words.
Ran RunLogged(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  ::testing::internal::CaptureStderr();
  Ran ran = RunProgram(arguments, environment);
  ran.err += ::testing::internal::GetCapturedStderr();
  return ran;
}

struct Wrong {
  const char* name;
  std::string kubeconfig;
  std::vector<std::string> more;
  int code;
  const char* message;
};
class WrongClusterSettings : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongClusterSettings, AreNamedByServeAndExplain) {
  const Wrong& row = GetParam();
  const TempFile file(row.kubeconfig, "config");
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"serve", "--port=0", "--admin-port=0"},
        {"explain", "pod", "web"}}) {
    arguments.insert(arguments.end(), {"--kubeconfig", file.path()});
    arguments.insert(arguments.end(), row.more.begin(), row.more.end());
    const Ran ran = RunLogged(arguments);
    EXPECT_EQ(ran.code, row.code) << arguments[0];
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(row.message)) << arguments[0];
  }
}

constexpr char kNowhere[] = "https://127.0.0.1:1";

std::string Nowhere(const std::string& more) {
  return fmt::format("{{server: \"{}\", {}}}", kNowhere, more);
}

const Wrong kWrong[] = {
    {"NotYaml", "clusters: [\n", {}, 2, "/config:2:1: not YAML: "},
    {"Empty", "", {}, 2, "/config: has no contexts\n"},
    {"OtherContext",
     KubeconfigOf(kNowhere),
     {"--context", "lab"},
     2,
     "/config: no context 'lab'; there are: x\n"},
    {"NoServer", Kubeconfig("{}"), {}, 2, "/config: clusters 'c': server is missing\n"},
    {"OtherScheme",
     KubeconfigOf("ftp://api"),
     {},
     2,
     "server 'ftp://api': only https:// and http:// are accepted\n"},
    {"AuthorityIsNotThere",
     Kubeconfig(Nowhere("certificate-authority: /nonexistent/ca")),
     {},
     1,
     "certificate-authority: /nonexistent/ca: No such file or directory\n"},
    {"AuthorityIsNoCertificate",
     Kubeconfig(Nowhere("certificate-authority-data: aGFsbG8=")),
     {},
     2,
     "certificate-authority: no certificate in PEM (--kubeconfig: /"},
    {"CertificateWithoutKey",
     Kubeconfig(Nowhere("insecure-skip-tls-verify: true"), "{client-certificate-data: aGFsbG8=}"),
     {},
     2,
     "client-certificate and client-key go together; one is missing\n"},
};
INSTANTIATE_TEST_SUITE_P(Rows, WrongClusterSettings, ::testing::ValuesIn(kWrong),
                         [](const auto& row) { return row.param.name; });

TEST(ClusterSettings, OfAFileThatIsNotThereNameIt) {
  for (const Ran& ran :
       {RunLogged({"serve", "--port=0", "--admin-port=0", "--kubeconfig=/nonexistent/k"}),
        RunLogged({"explain", "pod", "web", "--kubeconfig=/nonexistent/k"})}) {
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("--kubeconfig: /nonexistent/k: No such file or directory"));
  }
}

struct Answered {
  const char* name;
  std::string answer;  // to a list of nodes; empty: the connection is closed
  const char* message;
};
class ExplainOfAServer : public ::testing::TestWithParam<Answered> {};

const std::string kPod =
    kube::Answer(200, R"({"kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{}})");

TEST_P(ExplainOfAServer, SaysWhatIsWrong) {
  const RawServer server([](RawPeer& peer, size_t) {
    for (std::string request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
      const bool pod = request.find("/namespaces/shop/pods/web") != std::string::npos;
      const std::string& answer = pod ? kPod : GetParam().answer;
      if (answer.empty()) return;
      peer.Send(answer);
    }
  });
  const TempFile file(KubeconfigOf(server.url()), "config");
  const Ran ran = RunProgram({"explain", "pod", "web", "--kubeconfig", file.path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(server.url()));
  EXPECT_THAT(ran.err, HasSubstr(GetParam().message));
}

std::string Refusal(int code, const char* message) {
  return kube::Answer(
      code, fmt::format(R"({{"kind":"Status","code":{},"message":"{}"}})", code, message));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ExplainOfAServer,
    ::testing::Values(
        Answered{"Unauthorized", Refusal(401, "Unauthorized"), "Unauthorized"},
        Answered{"Forbidden", Refusal(403, "nodes is forbidden: no rights"),
                 "nodes is forbidden: no rights"},
        Answered{"Broken", Refusal(500, "etcd is full"), "etcd is full"},
        Answered{"ClosesTheConnection", "", "Empty reply from server"},
        Answered{"NoList", kube::Answer(200, "<html>a portal</html>"),
                 "/api/v1/nodes: body: expected a JSON object"},
        Answered{"NoNodes",
                 kube::Answer(200, R"({"kind":"NodeList","metadata":{"resourceVersion":"7"},)"
                                   R"("items":[]})"),
                 "no nodes"},
        Answered{"NodesOfAnotherKind",
                 kube::Answer(200, R"({"kind":"PodList","metadata":{"resourceVersion":"7"},)"
                                   R"("items":[{"kind":"Pod","metadata":{"name":"a"}}]})"),
                 "Node"}),
    [](const auto& row) { return row.param.name; });

TEST(ExplainOfNoServer, SaysSoSoon) {
  const std::string url = NobodyListens();
  const TempFile file(KubeconfigOf(url), "config");
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = RunProgram({"explain", "pod", "web", "--kubeconfig", file.path()});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(url));
}

TEST(ClusterSource, IsNoneWhereNoneIsWanted) {
  const auto of = [](const ClusterOptions& options, const Environment& environment) {
    const auto made = ClusterSource::Make(options, environment);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() && *made != nullptr;
  };
  const TempFile file(KubeconfigOf("https://127.0.0.1:1"), "config");
  EXPECT_TRUE(of({.kubeconfig = file.path(), .context = {}}, {}));
  EXPECT_FALSE(of({}, {}));
  EXPECT_FALSE(of({}, {{"KUBECONFIG", file.path()}})) << "a pod's environment is no wish";
  EXPECT_FALSE(of({.watch = false, .kubeconfig = file.path(), .context = {}}, {}));
}

TEST(ClusterSource, OfAPodWithoutAServiceAccountNamesTheFile) {
  const auto made = ClusterSource::Make(
      {}, {{"KUBERNETES_SERVICE_HOST", "127.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "1"}});
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("/serviceaccount/token"));
}

TEST(ClusterSource, TriesAServerThatIsNotThereAndSaysWhy) {
  const std::string url = NobodyListens();
  const TempFile file(KubeconfigOf(url), "config");
  const auto source = ClusterSource::Make({.kubeconfig = file.path(), .context = {}}, {});
  ASSERT_TRUE(source.ok()) << source.status();
  (*source)->Start(Needs().NodeLabels());
  const auto failed = [&] {
    const auto followed = (*source)->Followed().resources;
    return !followed.empty() && followed[0].failures > 0;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!failed() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  ASSERT_TRUE(failed());
  const auto followed = (*source)->Followed().resources;
  EXPECT_EQ(followed[0].resource, "nodes");
  EXPECT_FALSE(followed[0].synced);
  EXPECT_LT(followed[0].age_seconds, 0);
  const auto checks = (*source)->Checks();
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].name, "cluster");
  EXPECT_THAT(checks[0].why_not, HasSubstr("nodes"));
  (*source)->Stop();
}

}  // namespace
}  // namespace outrigger::cli
