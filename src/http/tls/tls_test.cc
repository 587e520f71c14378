#include "http/tls/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "certificates.h"
#include "http/server/connection.h"
#include "http/start_testing.h"
#include "raw_http.h"

namespace outrigger::http {
namespace {

using testing::Certificate;
using ::testing::HasSubstr;
using testing::RawHttp;
using testing::TestAuthority;
using testing::TestFolder;

class HttpTls : public ::testing::Test {
 protected:
  HttpTls() : authority_("authority"), server_certificate_(authority_.Issue("server")) {
    WriteServerCertificate(server_certificate_);
    options_.tls =
        TlsOptions{.cert_file = folder_.Write("cert.pem", server_certificate_.certificate),
                   .key_file = folder_.Write("key.pem", server_certificate_.key),
                   .client_ca_file = ""};
    options_.warn = [this](const std::string& text) {
      const std::lock_guard<std::mutex> lock(mutex_);
      warnings_.push_back(text);
    };
    ca_file_ = folder_.Write("ca.pem", authority_.certificate());
  }

  void WriteServerCertificate(const Certificate& certificate) const {
    folder_.Write("key.pem", certificate.key);
    folder_.Write("cert.pem", certificate.certificate);
  }
  /// cpp-httplib's client, which verifies the server.
  std::unique_ptr<httplib::SSLClient> Client(const Server& server) const {
    auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", server.port());
    client->set_ca_cert_path(ca_file_.c_str());
    client->enable_server_certificate_verification(true);
    return client;
  }
  std::unique_ptr<httplib::SSLClient> ClientWith(const Server& server, const Certificate& mine) {
    const std::string cert = folder_.Write("client.pem", mine.certificate);
    const std::string key = folder_.Write("client-key.pem", mine.key);
    auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", server.port(), cert, key);
    client->set_ca_cert_path(ca_file_.c_str());
    client->enable_server_certificate_verification(true);
    return client;
  }
  std::vector<std::string> warnings() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return warnings_;
  }

  const TestFolder folder_;
  const TestAuthority authority_;
  const Certificate server_certificate_;
  std::string ca_file_;
  ServerOptions options_;
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

TEST_F(HttpTls, AnswersAClientThatVerifiesIt) {
  const auto server = MustStart(Echo, options_);
  const auto client = Client(*server);
  client->set_keep_alive(true);
  for (const size_t size : {size_t{0}, size_t{5}, size_t{100'000}, size_t{3'000'000}}) {
    const std::string body(size, 'x');
    const auto answer = client->Post("/", body, "application/json");
    ASSERT_TRUE(answer) << size << ": " << to_string(answer.error());
    EXPECT_EQ(answer->status, 200);
    EXPECT_TRUE(answer->body == body) << size;
  }
  EXPECT_EQ(server->stats().connections_accepted, 1U);
}

TEST_F(HttpTls, SendsWhatIsInsertedFromWhereItLies) {
  const auto server = MustStart(Scatter, options_);
  const auto client = Client(*server);
  for (const size_t size : {size_t{1}, size_t{500}, size_t{8'000}, size_t{20'000}}) {
    const std::string body(size, 'x');
    const auto answer = client->Post("/", body, "text/plain");
    ASSERT_TRUE(answer) << size << ": " << to_string(answer.error());
    EXPECT_TRUE(answer->body == Scattered(body)) << size;
  }
}

TEST_F(HttpTls, IsNotTrustedWithACertificateOfAnotherAuthority) {
  const auto server = MustStart(Echo, options_);
  const auto client = Client(*server);
  client->set_ca_cert_path(
      folder_.Write("other.pem", TestAuthority("other").certificate()).c_str());
  EXPECT_FALSE(client->Post("/", "x", "text/plain"));
}

TEST_F(HttpTls, EndsAConnectionInClear) {
  const auto server = MustStart(Echo, options_);
  RawHttp client(server->port());
  ASSERT_TRUE(client.SendRequest("POST", "/", "in clear"));
  EXPECT_FALSE(client.ReadAnswer());
}

TEST_F(HttpTls, RefusesProtocolsBefore12) {
  const auto server = MustStart(Echo, options_);
  const auto client = Client(*server);
  SSL_CTX_set_min_proto_version(client->ssl_context(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(client->ssl_context(), TLS1_1_VERSION);
  SSL_CTX_set_cipher_list(client->ssl_context(), "DEFAULT:@SECLEVEL=0");
  EXPECT_FALSE(client->Get("/"));
  const auto modern = Client(*server);
  SSL_CTX_set_max_proto_version(modern->ssl_context(), TLS1_2_VERSION);
  EXPECT_TRUE(modern->Get("/"));
}

TEST_F(HttpTls, WantsAClientCertificateWhenItIsAskedTo) {
  options_.tls->client_ca_file = ca_file_;
  const auto server = MustStart(Echo, options_);
  EXPECT_FALSE(Client(*server)->Post("/", "x", "text/plain")) << "without a certificate";
  EXPECT_FALSE(
      ClientWith(*server, TestAuthority("other").Issue("client"))->Post("/", "x", "text/plain"))
      << "of another authority";
  const auto answer = ClientWith(*server, authority_.Issue("client"))->Post("/", "x", "text/plain");
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->body, "x");
}

/// Asks on new connections until one is answered with a certificate of `authority`.
bool ServedSoon(uint16_t port, const std::string& ca_file) {
  for (const auto end = Clock::now() + std::chrono::seconds(20); Clock::now() < end;) {
    httplib::SSLClient client("127.0.0.1", port);
    client.set_ca_cert_path(ca_file.c_str());
    client.enable_server_certificate_verification(true);
    if (client.Get("/")) return true;
    std::this_thread::yield();
  }
  return false;
}

TEST_F(HttpTls, TakesChangedFilesUpAndKeepsWhatIsConnected) {
  const auto server = MustStart(Echo, options_);
  const auto before = Client(*server);
  before->set_keep_alive(true);
  ASSERT_TRUE(before->Get("/"));
  const TestAuthority next("next");
  WriteServerCertificate(next.Issue("server"));
  EXPECT_TRUE(ServedSoon(server->port(), folder_.Write("next.pem", next.certificate())));
  EXPECT_TRUE(before->Get("/")) << "an old connection";
  EXPECT_FALSE(warnings().empty());
}

TEST_F(HttpTls, KeepsTheOldFilesWhenTheNewOnesAreBroken) {
  const auto server = MustStart(Echo, options_);
  folder_.Write("cert.pem", "no certificate");
  for (const auto end = Clock::now() + std::chrono::seconds(20);
       warnings().empty() && Clock::now() < end;) {
    EXPECT_TRUE(Client(*server)->Get("/"));
  }
  ASSERT_FALSE(warnings().empty());
  EXPECT_THAT(warnings().front(), HasSubstr("the previous ones are still used"));
  EXPECT_TRUE(Client(*server)->Get("/"));
}

TEST_F(HttpTls, GivesAHandshakeThatStallsNoWorkerAndNotForever) {
  options_.max_workers = 2;
  options_.head_timeout = std::chrono::milliseconds(500);
  const auto server = MustStart(Echo, options_);
  std::vector<std::unique_ptr<RawHttp>> stalled;
  for (int i = 0; i < 20; ++i) {
    stalled.push_back(std::make_unique<RawHttp>(server->port()));
    ASSERT_TRUE(stalled.back()->Send("\x16\x03\x01"));
  }
  EXPECT_TRUE(Client(*server)->Get("/"));
  for (const auto& client : stalled) EXPECT_TRUE(client->ReadsEnd());
}

}  // namespace
}  // namespace outrigger::http
