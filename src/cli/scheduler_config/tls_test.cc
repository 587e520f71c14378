#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/scheduler_config/scheduler_config.h"
#include "console/program_testing.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SchedulerConfigFlags Flags(const std::string& agents) {
  SchedulerConfigFlags flags;
  flags.agents = agents;
  flags.full_nodes = true;
  return flags;
}

absl::StatusOr<SchedulerConfigText> Write(const SchedulerConfigFlags& flags,
                                          const std::string& input = "") {
  const auto plan = PlanSchedulerConfig(flags, testing::TestAgents(), {});
  if (!plan.ok()) return plan.status();
  if (input.empty()) return WriteSchedulerConfig(*plan, std::nullopt);
  return WriteSchedulerConfig(*plan, SchedulerConfigInput{"in.yaml", input});
}

TEST(SchedulerConfigTls, WritesWhatTheSchedulerNeedsForBothSides) {
  SchedulerConfigFlags flags = Flags("congestion");
  flags.urls = {"https://10.0.0.7:9870"};
  flags.tls_cas = {"/etc/outrigger/ca.pem"};
  flags.tls_certs = {"/etc/outrigger/scheduler.pem"};
  flags.tls_keys = {"/etc/outrigger/scheduler-key.pem"};
  flags.tls_server_names = {"agents.kube-system"};
  const auto text = Write(flags);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->yaml, HasSubstr(R"(extenders:
  - urlPrefix: https://10.0.0.7:9870/congestion
    prioritizeVerb: prioritize
    weight: 1
    enableHTTPS: true
    tlsConfig:
      serverName: agents.kube-system
      certFile: /etc/outrigger/scheduler.pem
      keyFile: /etc/outrigger/scheduler-key.pem
      caFile: /etc/outrigger/ca.pem
    httpTimeout: "1s"
    nodeCacheCapable: false
)"));
  EXPECT_THAT(text->notes, Contains(HasSubstr("caFile once at start")));
}

TEST(SchedulerConfigTls, WritesNothingOfItForAgentsWithoutIt) {
  const auto text = Write(Flags("safe"));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->yaml, Not(HasSubstr("enableHTTPS")));
  EXPECT_THAT(text->yaml, Not(HasSubstr("tlsConfig")));
  EXPECT_THAT(text->notes, Not(Contains(HasSubstr("tlsConfig"))));
}

TEST(SchedulerConfigTls, ValuesAreForAllAgentsOrForOne) {
  SchedulerConfigFlags flags = Flags("safe,congestion,gang");
  flags.urls = {"https://a:1", "gang=http://127.0.0.1:9"};
  flags.tls_cas = {"safe=/safe.pem", "congestion=/other.pem"};
  flags.tls_server_names = {"congestion=other"};
  const auto plan = PlanSchedulerConfig(flags, testing::TestAgents(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->extenders[0].tls->ca_file, "/safe.pem");
  EXPECT_EQ(plan->extenders[0].tls->server_name, "");
  EXPECT_EQ(plan->extenders[1].tls->ca_file, "/other.pem");
  EXPECT_EQ(plan->extenders[1].tls->server_name, "other");
  EXPECT_EQ(plan->extenders[2].tls, std::nullopt);
}

TEST(SchedulerConfigTls, AnAgentWithoutUrlIsExpectedOnLoopbackWithTls) {
  SchedulerConfigFlags flags = Flags("safe,congestion");
  flags.tls_cas = {"safe=/ca.pem"};
  const auto plan = PlanSchedulerConfig(flags, testing::TestAgents(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->extenders[0].url_prefix, "https://127.0.0.1:9871/safe");
  EXPECT_EQ(plan->extenders[1].url_prefix, "http://127.0.0.1:9872/congestion");
}

TEST(SchedulerConfigTls, TheEntryForBindHasItToo) {
  SchedulerConfigFlags flags = Flags("gang");
  flags.tls_cas = {"/ca.pem"};
  const auto plan = PlanSchedulerConfig(flags, testing::TestAgents(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->extenders.size(), 2U);
  EXPECT_EQ(plan->extenders[1].bind_verb, "bind");
  EXPECT_EQ(plan->extenders[1].tls->ca_file, "/ca.pem");
}

TEST(SchedulerConfigTls, ChecksNobodyOnlyWhenToldSoAndSaysWhatThatMeans) {
  SchedulerConfigFlags flags = Flags("gang");
  flags.urls = {"https://a:1"};
  flags.tls_insecure = true;
  const auto text = Write(flags);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->yaml,
              HasSubstr("    enableHTTPS: true\n    tlsConfig:\n      insecure: true\n"));
  std::vector<std::string> about_it;
  for (const std::string& note : text->notes) {
    if (note.find("insecure") != std::string::npos) about_it.push_back(note);
  }
  EXPECT_THAT(about_it, ElementsAre(HasSubstr("does not verify the server at https://a:1/gang;")))
      << "once for the agent, not for each of its entries";
}

// Left beside the new entry, the old one would be called too, and fail every pod.
TEST(SchedulerConfigTls, ReplacesTheEntryThatAnAgentHadWithoutIt) {
  SchedulerConfigFlags flags = Flags("congestion");
  const auto before = Write(flags);
  ASSERT_TRUE(before.ok()) << before.status();
  flags.tls_cas = {"/ca.pem"};
  const auto after = Write(flags, before->yaml);
  ASSERT_TRUE(after.ok()) << after.status();
  const YAML::Node extenders = YAML::Load(after->yaml)["extenders"];
  ASSERT_EQ(extenders.size(), 1U);
  EXPECT_EQ(extenders[0]["urlPrefix"].Scalar(), "https://127.0.0.1:9872/congestion");
  EXPECT_THAT(after->notes, Contains("the extender http://127.0.0.1:9872/congestion was replaced"));
}

struct TlsRow {
  std::string name;
  std::string url, ca, cert, key, server_name;
  bool insecure = false;
  std::string error;
};

class SchedulerConfigTlsFlag : public ::testing::TestWithParam<TlsRow> {};

TEST_P(SchedulerConfigTlsFlag, NamesTheMistake) {
  const TlsRow& row = GetParam();
  SchedulerConfigFlags flags = Flags("safe,congestion");
  if (!row.url.empty()) flags.urls = {row.url};
  if (!row.ca.empty()) flags.tls_cas = {row.ca};
  if (!row.cert.empty()) flags.tls_certs = {row.cert};
  if (!row.key.empty()) flags.tls_keys = {row.key};
  if (!row.server_name.empty()) flags.tls_server_names = {row.server_name};
  flags.tls_insecure = row.insecure;
  const auto plan = PlanSchedulerConfig(flags, testing::TestAgents(), {});
  ASSERT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr(row.error));
}

constexpr const char* kUrl = "https://a:1";

INSTANTIATE_TEST_SUITE_P(
    Rows, SchedulerConfigTlsFlag,
    ::testing::Values(
        TlsRow{"NoAuthority", kUrl, "", "", "", "", false,
               "agent safe is called at https://a:1: --tls-ca is missing"},
        TlsRow{"NoAuthorityForOneOfTwo", "", "safe=/ca", "/cert", "/key", "", false,
               "agent congestion is called at https://127.0.0.1:9872: --tls-ca is missing"},
        TlsRow{"AuthorityWithoutTls", "http://a:1", "/ca", "", "", "", false,
               "--tls-ca: agent safe is called at http://a:1, without TLS; give it an https:// "
               "--url, or use --tls-ca AGENT=... for the others"},
        TlsRow{"AuthorityForOneWithoutTls", "safe=http://a:1", "/ca", "", "", "", false,
               "--tls-ca: agent safe is called at http://a:1, without TLS"},
        TlsRow{"CertificateWithoutTls", "http://a:1", "", "/cert", "/key", "", false,
               "--tls-cert: agent safe is called at http://a:1, without TLS"},
        TlsRow{"KeyWithoutTls", "http://a:1", "", "", "/key", "", false,
               "--tls-key: agent safe is called at http://a:1, without TLS"},
        TlsRow{"ServerNameWithoutTls", "http://a:1", "", "", "", "b", false,
               "--tls-server-name: agent safe is called at http://a:1, without TLS"},
        TlsRow{"InsecureWithoutTls", "http://a:1", "", "", "", "", true,
               "--tls-insecure: agent safe is called at http://a:1, without TLS"},
        TlsRow{"CertificateWithoutKey", kUrl, "/ca", "/cert", "", "", false,
               "agent safe: --tls-cert is given without --tls-key"},
        TlsRow{"KeyWithoutCertificate", kUrl, "/ca", "", "congestion=/key", "", false,
               "agent congestion: --tls-key is given without --tls-cert"},
        TlsRow{"AuthorityAndInsecure", kUrl, "/ca", "", "", "", true,
               "--tls-ca and --tls-insecure exclude each other"},
        TlsRow{"RelativeAuthority", kUrl, "ca.pem", "", "", "", false,
               "--tls-ca: \"ca.pem\" is not accepted; expected the file's absolute path"},
        TlsRow{"RelativeCertificate", kUrl, "/ca", "safe=cert", "", "", false,
               "--tls-cert: \"safe=cert\" is not accepted; expected the file's absolute path"},
        TlsRow{"FolderForKey", kUrl, "/ca", "/cert", "/keys/", "", false,
               "--tls-key: \"/keys/\" is not accepted; expected the file's absolute path"},
        TlsRow{"UnknownAgent", kUrl, "sfe=/ca", "", "", "", false,
               "--tls-ca: agent \"sfe\" is not among those written; did you mean safe?"},
        TlsRow{"UrlForServerName", kUrl, "/ca", "", "", "https://b", false,
               "--tls-server-name: \"https://b\" is not accepted; expected a name or an address"},
        TlsRow{"UrlWithoutHost", "https://", "", "", "", "", false,
               "--url: \"https://\" is not accepted; expected a URL"},
        TlsRow{"UrlWithPathOnly", "https:///safe", "", "", "", "", false,
               "--url: \"https:///safe\" is not accepted; expected a URL"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
