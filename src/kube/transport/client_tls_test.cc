#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "certificates.h"
#include "http/server.h"
#include "kube/kube_testing.h"

namespace outrigger::kube {
namespace {

using testing::Certificate;
using testing::CertificateTerms;
using ::testing::HasSubstr;
using testing::TestAuthority;
using testing::TestFolder;

class ClientTls : public ::testing::Test {
 protected:
  ClientTls() : authority_("authority") {}

  /// A server with this certificate; with `clients`, clients need one of that authority.
  std::string Serve(const Certificate& certificate, const TestAuthority* clients = nullptr) {
    http::ServerOptions options;
    options.tls = http::TlsOptions{
        .cert_file = folder_.Write("server.pem", certificate.certificate),
        .key_file = folder_.Write("server-key.pem", certificate.key),
        .client_ca_file =
            clients == nullptr ? "" : folder_.Write("clients.pem", clients->certificate())};
    auto server = http::Server::Start(
        options, [](const http::Request&, http::Response* answer) { answer->body = "{}"; });
    if (!server.ok()) ADD_FAILURE() << server.status();
    servers_.push_back(*std::move(server));
    return "https://127.0.0.1:" + std::to_string(servers_.back()->port());
  }

  ClientConfig ConfigOf(const std::string& url) const {
    ClientConfig config;
    config.server = url;
    config.ca.data = authority_.certificate();
    return config;
  }

  const TestFolder folder_;
  const TestAuthority authority_;
  std::vector<std::unique_ptr<http::Server>> servers_;
};

TEST_F(ClientTls, BelievesAServerOfItsAuthority) {
  const std::string url = Serve(authority_.Issue("server"));
  const auto client = MustCreate(ConfigOf(url));
  for (int i = 0; i < 3; ++i) {
    const auto answer = client->Call(Once("/api"));
    EXPECT_TRUE(answer.ok()) << answer.status();
  }
  EXPECT_EQ(servers_.back()->stats().connections_accepted, 1U);
}

struct DistrustRow {
  const char* name;
  CertificateTerms terms;
  bool other_authority;
  const char* error;
};
class ClientDistrust : public ClientTls, public ::testing::WithParamInterface<DistrustRow> {};

TEST_P(ClientDistrust, IsSaidAtOnceAndNotTriedAgain) {
  const TestAuthority other("other");
  const TestAuthority& issuer = GetParam().other_authority ? other : authority_;
  const std::string url = Serve(issuer.Issue("server", GetParam().terms));
  ClientConfig config = ConfigOf(url);
  ApiRequest request;
  request.path = "/api";
  const auto answer = MustCreate(config)->Call(request);
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kFailedPrecondition) << answer.status();
  EXPECT_THAT(Text(answer.status()), HasSubstr(GetParam().error));
  EXPECT_EQ(servers_.back()->stats().connections_accepted, 1U);
  config.ca = {};
  config.insecure = true;
  const auto insecure = MustCreate(config)->Call(request);
  EXPECT_TRUE(insecure.ok()) << insecure.status();
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClientDistrust,
    ::testing::Values(DistrustRow{"OtherAuthority", {}, true, "SSL certificate problem"},
                      DistrustRow{"OtherHost", {"DNS:example.com", 86'400}, false, "127.0.0.1"},
                      DistrustRow{"Expired", {"IP:127.0.0.1", -3600}, false, "expired"}),
    [](const auto& row) { return row.param.name; });

TEST_F(ClientTls, DoesNotBelieveTheSystemsAuthoritiesBesideItsOwn) {
  // Of a private authority the system knows nothing; with none given it is the system that decides.
  const std::string url = Serve(authority_.Issue("server"));
  ClientConfig config = ConfigOf(url);
  config.ca = {};
  EXPECT_EQ(MustCreate(config)->Call(Once("/api")).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(ClientTls, ChecksForTheNameThatItIsGiven) {
  const std::string url = Serve(authority_.Issue("server", {"DNS:kubernetes.default", 86'400}));
  ClientConfig config = ConfigOf(url);
  EXPECT_FALSE(MustCreate(config)->Call(Once("/api")).ok());
  config.tls_server_name = "kubernetes.default";
  const auto answer = MustCreate(config)->Call(Once("/api"));
  EXPECT_TRUE(answer.ok()) << answer.status();
  config.tls_server_name = "kubernetes.other";
  EXPECT_FALSE(MustCreate(config)->Call(Once("/api")).ok());
}

TEST_F(ClientTls, ShowsItsCertificateFromDataOrFiles) {
  const std::string url = Serve(authority_.Issue("server"), &authority_);
  EXPECT_FALSE(MustCreate(ConfigOf(url))->Call(Once("/api")).ok()) << "without a certificate";
  const Certificate mine = authority_.Issue("me");
  ClientConfig config = ConfigOf(url);
  config.client_cert.data = mine.certificate;
  config.client_key.data = mine.key;
  const auto from_data = MustCreate(config)->Call(Once("/api"));
  EXPECT_TRUE(from_data.ok()) << from_data.status();
  config.client_cert = {"", folder_.Write("me.pem", mine.certificate)};
  config.client_key = {"", folder_.Write("me-key.pem", mine.key)};
  const auto from_files = MustCreate(config)->Call(Once("/api"));
  EXPECT_TRUE(from_files.ok()) << from_files.status();
}

TEST_F(ClientTls, TakesARotatedAuthorityUpForNewConnections) {
  const TestAuthority next("next");
  const std::string old_url = Serve(authority_.Issue("server"));
  ClientConfig config = ConfigOf(old_url);
  config.ca = {"", folder_.Write("ca.pem", authority_.certificate())};
  ClientOptions options;
  options.qps = 0;
  // Deadlines are of the real clock, by which the transport goes; files are looked at by this one.
  Clock::Duration ahead{};
  options.clock.now = [&ahead] { return std::chrono::steady_clock::now() + ahead; };
  const auto client = MustCreate(config, options);
  ASSERT_TRUE(client->Call(Once("/api")).ok());
  folder_.Write("ca.pem", next.certificate());
  ahead += std::chrono::seconds(2);
  EXPECT_EQ(client->Call(Once("/api")).status().code(), absl::StatusCode::kFailedPrecondition)
      << "the old authority is not believed any more";
  folder_.Write("ca.pem", "no certificate");
  ahead += std::chrono::seconds(2);
  EXPECT_EQ(client->Call(Once("/api")).status().code(), absl::StatusCode::kFailedPrecondition)
      << "what cannot be used is not taken";
  folder_.Write("ca.pem", authority_.certificate());
  ahead += std::chrono::seconds(2);
  EXPECT_TRUE(client->Call(Once("/api")).ok());
}

struct BadIdentityRow {
  const char* name;
  void (*spoil)(ClientConfig* config, const TestFolder& folder);
  const char* error;
};
class BadIdentity : public ClientTls, public ::testing::WithParamInterface<BadIdentityRow> {};

TEST_P(BadIdentity, IsNamedBeforeAnyCall) {
  ClientConfig config = ConfigOf("https://127.0.0.1:1");
  const Certificate mine = authority_.Issue("me");
  config.client_cert.data = mine.certificate;
  config.client_key.data = mine.key;
  GetParam().spoil(&config, folder_);
  const auto client = Client::Create(config);
  ASSERT_FALSE(client.ok());
  EXPECT_THAT(Text(client.status()), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadIdentity,
    ::testing::Values(
        BadIdentityRow{"NoAuthority",
                       [](ClientConfig* config, const TestFolder&) {
                         config->ca = {"", "/nowhere/ca.pem"};
                       },
                       "certificate-authority: /nowhere/ca.pem: No such file"},
        BadIdentityRow{"BrokenAuthority",
                       [](ClientConfig* config, const TestFolder& folder) {
                         config->ca = {"", folder.Write("broken.pem", "hello")};
                       },
                       "broken.pem"},
        BadIdentityRow{
            "NoCertificate",
            [](ClientConfig* config, const TestFolder&) { config->client_cert.data = "hello"; },
            "client-certificate: no certificate in PEM"},
        BadIdentityRow{
            "NoCertificateOfAKubeconfig",
            [](ClientConfig* config, const TestFolder&) {
              config->client_cert = {"hello", "", "f: users 'u' client-certificate-data"};
            },
            "client-certificate: no certificate in PEM (f: users 'u' "
            "client-certificate-data)"},
        BadIdentityRow{
            "NoKey",
            [](ClientConfig* config, const TestFolder&) { config->client_key.data = "hello"; },
            "client-key: no unencrypted private key"},
        BadIdentityRow{"KeyOfAnother",
                       [](ClientConfig* config, const TestFolder&) {
                         config->client_key.data = TestAuthority("b").Issue("b").key;
                       },
                       "client-key: not the key of the first certificate of client-certificate"},
        BadIdentityRow{"KeyIsMissing",
                       [](ClientConfig* config, const TestFolder&) { config->client_key = {}; },
                       "client-certificate and client-key go together"},
        BadIdentityRow{"InsecureWithAuthority",
                       [](ClientConfig* config, const TestFolder&) { config->insecure = true; },
                       "exclude each other"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::kube
