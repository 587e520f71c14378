// `outrigger gang release` as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

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

struct ReleaseRefusedRow {
  std::string name;
  std::vector<std::string> arguments;
  std::string error;
};

class GangReleaseRefuses : public ::testing::TestWithParam<ReleaseRefusedRow> {};

TEST_P(GangReleaseRefuses, WithWhatIsWanted) {
  const Ran ran = RunProgram(GetParam().arguments);
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, GangReleaseRefuses,
    ::testing::Values(
        ReleaseRefusedRow{"NoCommand", {"gang"}, "gang needs a subcommand: release"},
        ReleaseRefusedRow{"AnotherCommand", {"gang", "releas"}, "did you mean release?"},
        ReleaseRefusedRow{"NotAll", {"gang", "release"}, "gang release needs --all"},
        ReleaseRefusedRow{"DryRunAlone", {"gang", "release", "--dry-run"}, "needs --all"},
        ReleaseRefusedRow{"AGang", {"gang", "release", "--all", "train"}, "train"}),
    [](const auto& row) { return row.param.name; });

// An API server that has one gated pod, a policy with a binding, and no mutating policies.
class ReleaseOnAServer : public ::testing::Test {
 protected:
  Ran Run(std::vector<std::string> arguments) {
    const RawServer server([this](RawPeer& peer, size_t) {
      for (std::string request = peer.ReadRequest(); !request.empty();
           request = peer.ReadRequest()) {
        peer.Send(AnswerTo(request));
      }
    });
    const TempFile file(fmt::format("clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                                    "users: [{{name: u, user: {{}}}}]\n"
                                    "contexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
                                    "current-context: x\n",
                                    server.url()),
                        "config");
    arguments.insert(arguments.begin(), {"gang", "release", "--all", "--kubeconfig", file.path()});
    return RunProgram(arguments);
  }

  std::string AnswerTo(const std::string& request) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string line = request.substr(0, request.find(" HTTP"));
    if (line.starts_with("POST")) {
      const bool allowed = denied_.empty() || request.find(denied_) == std::string::npos;
      return kube::Answer(201, fmt::format(R"({{"status":{{"allowed":{}}}}})", allowed));
    }
    if (line.starts_with("DELETE")) {
      is_bound_ = false;
      return kube::Answer(200, "{}");
    }
    if (line.starts_with("PATCH")) {
      is_gated_ = false;
      return kube::Answer(200, R"({"metadata":{"uid":"u"}})");
    }
    if (line.starts_with("GET /api/v1/pods?")) return List(is_gated_ ? kPod : "");
    if (line.find("/v1/validatingadmissionpolicies?") != std::string::npos) return List(kPolicy);
    if (line.find("/v1/validatingadmissionpolicybindings?") != std::string::npos) {
      return List(is_bound_ ? kBinding : "");
    }
    return kube::Answer(404, R"({"kind":"Status","code":404})");
  }
  static std::string List(const std::string& items) {
    return kube::Answer(200, R"({"kind":"List","metadata":{},"items":[)" + items + "]}");
  }

  static constexpr const char* kPod =
      R"({"metadata":{"namespace":"default","name":"p","uid":"u"},)"
      R"("spec":{"schedulingGates":[{"name":"outrigger.dev/queue"}]}})";
  static constexpr const char* kPolicy =
      R"({"metadata":{"name":"guard","labels":{"app.kubernetes.io/part-of":"outrigger"}},)"
      R"("spec":{"expression":"\"outrigger.dev/queue\""}})";
  static constexpr const char* kBinding =
      R"({"metadata":{"name":"guard"},"spec":{"policyName":"guard"}})";
  std::mutex mutex_;
  bool is_bound_ = false;
  bool is_gated_ = true;
  std::string denied_;  // what a review that is answered with no has in it
};

TEST_F(ReleaseOnAServer, SaysWhatItDid) {
  const Ran ran = Run({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "") << "standard error is no terminal";
  EXPECT_THAT(ran.out, HasSubstr("1 pod released in "));
  EXPECT_FALSE(is_gated_);
  const Ran again = Run({});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, "no pod has the gate outrigger.dev/queue\n");
}

TEST_F(ReleaseOnAServer, DoesNothingOnADryRun) {
  is_bound_ = true;
  const Ran ran = Run({"--dry-run"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "would delete ValidatingAdmissionPolicyBinding guard\n"
            "would release 1 pod\n");
  EXPECT_TRUE(is_bound_);
  EXPECT_TRUE(is_gated_);
}

TEST_F(ReleaseOnAServer, NamesTheMissingRightAndDoesNothing) {
  is_bound_ = true;
  denied_ = R"("verb":"delete")";
  const Ran ran = Run({});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("this account lacks rights; nothing was done: delete "
                                 "mutatingadmissionpolicybindings.admissionregistration.k8s.io, "
                                 "delete validatingadmissionpolicybindings."));
  EXPECT_TRUE(is_bound_);
  EXPECT_TRUE(is_gated_);
  const Ran looks = Run({"--dry-run"});
  EXPECT_EQ(looks.code, 0) << "it takes no right to delete: " << looks.err;
}

}  // namespace
}  // namespace outrigger::cli
