// What `outrigger ui` and `top` do with kubectl, for which a script stands here.

#include "cli/look/follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "cli/look/deployed_testing.h"
#include "cli/look/pages_testing.h"
#include "codec/page/page.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"

namespace outrigger::cli::look {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

/// A kubectl that writes down its arguments and its process, and then runs `script`.
class FakeKubectl {
 public:
  explicit FakeKubectl(const std::string& script)
      : log_(""),
        program_(fmt::format("#!/bin/sh\necho \"$$ $*\" >>{}\n{}\n", log_.path(), script),
                 "kubectl") {
    chmod(program_.path().c_str(), S_IRWXU);
  }
  const std::string& path() const { return program_.path(); }
  std::string Folder() const { return path().substr(0, path().rfind('/')); }
  /// A line for each start: process and arguments.
  std::vector<std::string> Starts() const {
    std::vector<std::string> lines;
    std::ifstream file(log_.path());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  pid_t LastProcess() const { return std::stoi(Starts().back()); }

 private:
  TempFile log_;
  TempFile program_;
};

constexpr const char* kForwards = "echo 'Forwarding from 127.0.0.1:19970 -> 9970'; exec sleep 1000";

/// Two replicas, of which the first leads, a clock that stands, and a kubectl.
class Followed {
 public:
  explicit Followed(const std::string& script) : kubectl(script) {
    cluster.pods = {{"outrigger-a"}, {"outrigger-b"}};
    Lead("outrigger-a");
    Clock clock;
    clock.now = [this] { return now; };
    FollowFlags flags;
    flags.cluster = {"/k", "c"};
    flags.local_port = 19970;
    follow = std::make_unique<Follow>(flags, &cluster, kubectl.path(), clock);
  }
  void Lead(const std::string& pod) { cluster.leases["kube-system/outrigger"] = pod + "_1"; }

  DeployedAgents cluster;
  FakeKubectl kubectl;
  Clock::TimePoint now;
  std::unique_ptr<Follow> follow;
};

bool IsThere(pid_t process) {
  return kill(process, 0) == 0;
}

TEST(Follow, ForwardsToThePodThatLeads) {
  Followed followed(kForwards);
  const absl::Status status = followed.follow->Begin({});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(followed.follow->Url(), "http://127.0.0.1:19970");
  EXPECT_EQ(followed.follow->LeadText(),
            "gang,qos in pod kube-system/outrigger-a (it holds Lease kube-system/outrigger)");
  ASSERT_EQ(followed.kubectl.Starts().size(), 1U);
  EXPECT_THAT(followed.kubectl.Starts()[0],
              HasSubstr(" --kubeconfig=/k --context=c port-forward --address 127.0.0.1 -n "
                        "kube-system pod/outrigger-a 19970:9970"));
  EXPECT_EQ(*followed.follow->Check({}), "");
  EXPECT_EQ(followed.kubectl.Starts().size(), 1U);
}

TEST(Follow, EndsKubectlWithItself) {
  Followed followed(kForwards);
  ASSERT_TRUE(followed.follow->Begin({}).ok());
  const pid_t kubectl = followed.kubectl.LastProcess();
  EXPECT_TRUE(IsThere(kubectl));
  followed.follow.reset();
  EXPECT_FALSE(IsThere(kubectl));
}

TEST(Follow, GoesToAnotherPodThatLeads) {
  Followed followed(kForwards);
  ASSERT_TRUE(followed.follow->Begin({}).ok());
  const pid_t former = followed.kubectl.LastProcess();
  followed.Lead("outrigger-b");
  EXPECT_THAT(*followed.follow->Check({}),
              AllOf(HasSubstr("outrigger-b (it holds"), HasSubstr("http://127.0.0.1:19970/")));
  EXPECT_FALSE(IsThere(former));
  EXPECT_THAT(followed.kubectl.Starts().back(), HasSubstr("pod/outrigger-b 19970:9970"));
}

TEST(Follow, KeepsTheFormerLeaderWhileNobodyLeads) {
  Followed followed(kForwards);
  ASSERT_TRUE(followed.follow->Begin({}).ok());
  followed.Lead("gone");
  followed.now += std::chrono::hours{1};
  EXPECT_EQ(*followed.follow->Check({}), "");
  EXPECT_EQ(followed.kubectl.Starts().size(), 1U);
}

TEST(Follow, StartsKubectlAgainWhereItHasEnded) {
  Followed followed(kForwards);
  ASSERT_TRUE(followed.follow->Begin({}).ok());
  kill(followed.kubectl.LastProcess(), SIGKILL);
  // The kernel closes its output soon.
  std::string change;
  while (change.empty()) change = *followed.follow->Check({});
  EXPECT_THAT(change,
              HasSubstr("kubectl ended (no message); gang,qos in pod kube-system/outrigger-a"));
  EXPECT_EQ(followed.kubectl.Starts().size(), 2U);
}

TEST(Follow, GivesUpAfterAMinuteWithoutAPod) {
  Followed followed(kForwards);
  ASSERT_TRUE(followed.follow->Begin({}).ok());
  followed.cluster.pods.clear();
  kill(followed.kubectl.LastProcess(), SIGKILL);
  std::string change;
  while (change.empty()) change = *followed.follow->Check({});
  EXPECT_THAT(change, HasSubstr("looking for the pod that leads"));
  followed.now += std::chrono::seconds{59};
  EXPECT_EQ(*followed.follow->Check({}), "");
  followed.now += std::chrono::seconds{1};
  EXPECT_TRUE(absl::IsNotFound(followed.follow->Check({}).status()));
}

TEST(Follow, SaysWhatKubectlSaysWhereItDoesNotForward) {
  Followed followed("echo 'error: pods \"outrigger-a\" is forbidden' >&2; exit 1");
  const absl::Status status = followed.follow->Begin({});
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("kubectl port-forward has ended: error: pods \"outrigger-a\" is "
                              "forbidden"),
                    HasSubstr("kubectl --kubeconfig=/k --context=c port-forward")));
}

TEST(Follow, StopsWhileItWaitsForKubectl) {
  Followed followed("exec sleep 1000");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(absl::IsCancelled(followed.follow->Begin(stop.get_token())));
}

TEST(Follow, SaysWhatToDoWithoutKubectl) {
  DeployedAgents cluster;
  cluster.pods = {{"outrigger-a"}};
  FollowFlags flags;
  flags.local_port = 1234;
  Follow follow(flags, &cluster, "", Clock());
  const absl::Status status = follow.Begin({});
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("kubectl is not in PATH"),
                    HasSubstr("kubectl port-forward --address 127.0.0.1 -n kube-system "
                              "pod/outrigger-a 1234:9970"),
                    HasSubstr("outrigger top --agent http://127.0.0.1:1234")));
}

TEST(FreePort, IsAnotherOneWhereTheWantedOneIsTaken) {
  const kube::RawServer server([](kube::RawPeer&, size_t) {});
  const uint16_t port = FreePort(server.port());
  EXPECT_NE(port, 0);
  EXPECT_NE(port, server.port());
}

/// Keeps signals that stop a command from threads of the test.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

/// `cluster` over HTTP, with a kubeconfig.
class ServedCluster {
 public:
  explicit ServedCluster(DeployedAgents* cluster)
      : server_([cluster](kube::RawPeer& peer, size_t) {
          for (std::string request = peer.ReadRequest(); !request.empty();
               request = peer.ReadRequest()) {
            kube::ApiRequest asked;
            asked.path = request.substr(4, request.find_first_of(" ?", 4) - 4);
            peer.Send(kube::Answer(200, cluster->Call(asked)->body));
          }
        }),
        kubeconfig_(fmt::format("clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                                "users: [{{name: u, user: {{}}}}]\n"
                                "contexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
                                "current-context: x\n",
                                server_.url()),
                    "config") {}
  const std::string& kubeconfig() const { return kubeconfig_.path(); }

 private:
  kube::RawServer server_;
  TempFile kubeconfig_;
};

TEST(Ui, PrintsTheAddressOpensItAndRunsUntilASignal) {
  const HeldSignals held;
  DeployedAgents cluster;
  cluster.pods = {{"outrigger-a"}};
  const ServedCluster served(&cluster);
  const FakeKubectl kubectl(kForwards);
  const std::string browser = kubectl.Folder() + "/xdg-open";
  std::ofstream(browser) << "#!/bin/sh\necho \"$1\" >" << kubectl.Folder()
                         << "/opened\nkill -TERM $PPID\n";
  chmod(browser.c_str(), S_IRWXU);
  const Ran ran = RunProgram({"ui", "--kubeconfig", served.kubeconfig(), "--port", "19970"},
                             {{"PATH", kubectl.Folder()}, {"DISPLAY", ":0"}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "http://127.0.0.1:19970/\n");
  EXPECT_THAT(ran.err, HasSubstr("note: gang,qos in pod kube-system/outrigger-a (no Lease"));
  std::ifstream file(kubectl.Folder() + "/opened");
  std::string opened;
  std::getline(file, opened);
  EXPECT_EQ(opened + "\n", ran.out);
  EXPECT_FALSE(IsThere(kubectl.LastProcess()));
}

TEST(Top, ReadsFromThePodThatLeads) {
  DeployedAgents cluster;
  cluster.pods = {{"outrigger-a"}};
  const ServedCluster served(&cluster);
  const kube::RawServer agent([](kube::RawPeer& peer, size_t) {
    const std::string request = peer.ReadRequest();
    std::string body;
    page::Encode({"qos", "queue", QueueTable({{"pod", "shop/a"}})}, page::kMaxBytes, &body);
    std::string answer = kube::Answer(404, "{}");
    if (request.starts_with("GET /readyz")) answer = kube::Answer(200, "ok\n");
    if (request.starts_with("GET /queue")) answer = kube::Answer(200, body);
    peer.Send(answer);
  });
  const FakeKubectl kubectl(kForwards);
  const Ran ran = RunProgram(
      {"top", "--kubeconfig", served.kubeconfig(), "--port", std::to_string(agent.port())},
      {{"PATH", kubectl.Folder()}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Ready: gang,qos in pod kube-system/outrigger-a\n"),
                             HasSubstr("shop/a"), HasSubstr("Not served here: gangs and nodes")));
  EXPECT_FALSE(IsThere(kubectl.LastProcess()));
}

}  // namespace
}  // namespace outrigger::cli::look
