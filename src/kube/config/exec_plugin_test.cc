#include "kube/config/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "certificates.h"
#include "kube/kube_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kV1[] = "client.authentication.k8s.io/v1";

std::string Printed(const std::string& status) {
  return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
         status + "}";
}

class ExecPlugins : public ::testing::Test {
 protected:
  /// A configuration whose plugin is a shell script.
  ClientConfig ConfigOf(const std::string& script) {
    const std::string file = folder_.Write("plugin", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    ClientConfig config;
    config.server = "https://api:6443";
    config.exec.emplace();
    config.exec->api_version = kV1;
    config.exec->command = file;
    config.environment = {{"PATH", "/usr/bin:/bin"}, {"INHERITED", "yes"}};
    return config;
  }
  /// Counts its runs in a file and prints a token with their number.
  std::string Counting(const std::string& rest = "") {
    const std::string file = folder_.path() + "/runs";
    return "echo run >>" + file + "; n=$(wc -l <" + file + "); cat <<END\n" +
           Printed("{\"token\":\"token-$n\"" + rest + "}") + "\nEND";
  }
  size_t Runs() const {
    std::ifstream file(folder_.path() + "/runs");
    return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  std::unique_ptr<CredentialSource> Make(const ClientConfig& config) {
    // Deadlines are waited for by the real clock.
    Clock clock = time_.clock();
    clock.now = std::chrono::steady_clock::now;
    return MakeExecCredentials(config, clock, nullptr);
  }
  static absl::StatusOr<Credentials> Get(CredentialSource& source,
                                         milliseconds time = seconds(20)) {
    return source.Get(std::chrono::steady_clock::now() + time, {});
  }

  const testing::TestFolder folder_;
  FakeTime time_;
};

TEST_F(ExecPlugins, GiveATokenThatIsKeptUntilItIsRefused) {
  const auto source = Make(ConfigOf(Counting()));
  for (int i = 0; i < 3; ++i) {
    const auto got = Get(*source);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->token, "token-1");
  }
  source->Refused({"token-1", "", ""});
  EXPECT_EQ(Get(*source)->token, "token-2");
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecPlugins, AreRunAgainWhenTheirTokenHasExpired) {
  // 1970-02-11T17:00:00Z is 1001 hours after the epoch, one after the fake time begins.
  const auto source = Make(ConfigOf(Counting(R"(,"expirationTimestamp":"1970-02-11T17:00:00Z")")));
  ASSERT_TRUE(Get(*source).ok());
  time_.Pass(std::chrono::minutes(58));
  EXPECT_EQ(Get(*source)->token, "token-1");
  EXPECT_EQ(Runs(), 1U);
  time_.Pass(std::chrono::minutes(3));
  const auto got = Get(*source);
  EXPECT_THAT(Text(got.status()), HasSubstr("already expired"));
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecPlugins, HearWhatTheyAreFor) {
  ClientConfig config =
      ConfigOf("printf '%s|%s|%s|%s' \"$1\" \"$OWN\" \"$INHERITED\" \"$KUBERNETES_EXEC_INFO\" >" +
               folder_.path() + "/heard; " + Counting());
  config.exec->args = {"a b; exit 1"};
  config.exec->env = {{"OWN", "mine"}};
  config.exec->provide_cluster_info = true;
  config.exec->cluster_config = R"({"audience":"x"})";
  config.ca.data = "PEM";
  ASSERT_TRUE(Get(*Make(config)).ok());
  std::ifstream file(folder_.path() + "/heard");
  const std::string heard{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(heard.starts_with("a b; exit 1|mine|yes|{")) << heard;
  const auto info = nlohmann::json::parse(heard.substr(heard.find('{')));
  EXPECT_EQ(info["kind"], "ExecCredential");
  EXPECT_EQ(info["apiVersion"], kV1);
  EXPECT_EQ(info["spec"]["interactive"], false);
  EXPECT_EQ(info["spec"]["cluster"]["server"], "https://api:6443");
  EXPECT_EQ(info["spec"]["cluster"]["certificate-authority-data"], "UEVN");
  EXPECT_EQ(info["spec"]["cluster"]["config"]["audience"], "x");
}

TEST_F(ExecPlugins, AreKilledWhenTheyTakeTooLong) {
  ClientConfig config = ConfigOf("sleep 1000 & sleep 1000");
  config.exec->timeout = milliseconds(200);
  const auto begin = std::chrono::steady_clock::now();
  const auto got = Get(*Make(config));
  EXPECT_EQ(got.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(Text(got.status()), HasSubstr("did not end within 200 ms"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(10));
}

TEST_F(ExecPlugins, DoNotHoldACallPastItsDeadlineOrItsStop) {
  const auto source = Make(ConfigOf("sleep 1000"));
  EXPECT_EQ(Get(*source, milliseconds(100)).status().code(), absl::StatusCode::kDeadlineExceeded);
  const auto stop = std::make_unique<std::stop_source>();
  stop->request_stop();
  EXPECT_EQ(source->Get(std::chrono::steady_clock::now() + seconds(20), stop->get_token())
                .status()
                .code(),
            absl::StatusCode::kCancelled);
}

TEST_F(ExecPlugins, SayWhyTheyFailedAndHowToInstallThem) {
  ClientConfig config = ConfigOf("echo 'please \033[31mlog in' >&2; exit 3");
  config.exec->install_hint = "install it";
  const std::string failed = Text(Get(*Make(config)).status());
  EXPECT_THAT(failed, HasSubstr("exit code 3: please"));
  EXPECT_THAT(failed, HasSubstr("log in"));
  EXPECT_THAT(failed, Not(HasSubstr("\033")));
  config.exec->command = "no-such-plugin";
  EXPECT_THAT(Text(Get(*Make(config)).status()),
              HasSubstr("no-such-plugin: not found in PATH; install it"));
  config.exec->command = "/nowhere/plugin";
  EXPECT_THAT(Text(Get(*Make(config)).status()), HasSubstr("install it"));
}

TEST_F(ExecPlugins, CutWhatTheyComplainOf) {
  const auto got = Get(*Make(ConfigOf("yes complaint | head -c 3000000 >&2; exit 1")));
  EXPECT_LT(Text(got.status()).size(), 4096U);
}

TEST_F(ExecPlugins, MayNotPrintWithoutEnd) {
  EXPECT_THAT(Text(Get(*Make(ConfigOf("yes"))).status()), HasSubstr("printed more than"));
}

struct PrintedRow {
  const char* name;
  std::string printed;
  const char* error;
};
class PrintedCredential : public ::testing::TestWithParam<PrintedRow> {};

TEST_P(PrintedCredential, IsRefusedWithoutShowingSecrets) {
  const auto read = ParseExecCredential(GetParam().printed, kV1);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(Text(read.status()), HasSubstr(GetParam().error));
  EXPECT_THAT(Text(read.status()), Not(HasSubstr("secret")));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PrintedCredential,
    ::testing::Values(
        PrintedRow{"Nothing", "", "not a JSON object"},
        PrintedRow{"OtherKind", R"({"kind":"Pod"})", "kind is not ExecCredential"},
        PrintedRow{
            "OtherVersion",
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
            "apiVersion is not client.authentication.k8s.io/v1,"},
        PrintedRow{"NoStatus",
                   R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})",
                   "status is missing"},
        PrintedRow{"Empty", Printed("{}"), "neither token nor clientCertificateData"},
        PrintedRow{"NumberAsToken", Printed(R"({"token":5})"), "token is not a text"},
        PrintedRow{"LineEndInToken", Printed(R"({"token":"secret\nX: y"})"), "control bytes"},
        PrintedRow{"CertificateWithoutKey", Printed(R"({"clientCertificateData":"secret"})"),
                   "go together"},
        PrintedRow{"BrokenCertificate",
                   Printed(R"({"clientCertificateData":"secret","clientKeyData":"secret"})"),
                   "no certificate in PEM"},
        PrintedRow{"BrokenTime", Printed(R"({"token":"secret","expirationTimestamp":"soon"})"),
                   "expirationTimestamp"},
        PrintedRow{"EndlessPast",
                   Printed(R"({"token":"secret","expirationTimestamp":"infinite-past"})"),
                   "expirationTimestamp"}),
    [](const auto& row) { return row.param.name; });

TEST(PrintedCertificate, IsTakenWithItsKey) {
  const testing::Certificate mine = testing::TestAuthority("a").Issue("me");
  const nlohmann::json status = {{"clientCertificateData", mine.certificate},
                                 {"clientKeyData", mine.key}};
  const auto read = ParseExecCredential(Printed(status.dump()), kV1);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->credentials.cert, mine.certificate);
  EXPECT_EQ(read->credentials.key, mine.key);
}

}  // namespace
}  // namespace outrigger::kube
