#include "http/tls/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "certificates.h"
#include "fmt/format.h"
#include "http/server/connection.h"
#include "http/start_testing.h"
#include "raw_http.h"

namespace outrigger::http {
namespace {

using testing::Certificate;
using ::testing::EndsWith;
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

/// The same key, which takes a passphrase to read.
std::string Encrypted(const std::string& key) {
  const std::unique_ptr<BIO, int (*)(BIO*)> in(
      BIO_new_mem_buf(key.data(), static_cast<int>(key.size())), &BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> pkey(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), &BIO_free);
  char phrase[] = "secret";
  EXPECT_EQ(PEM_write_bio_PKCS8PrivateKey(out.get(), pkey.get(), EVP_aes_256_cbc(), phrase, 6,
                                          nullptr, nullptr),
            1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<size_t>(size)};
}

struct Files {
  TlsOptions options;
  const TestFolder& folder;
  const Certificate& certificate;
};

struct FileRow {
  const char* name;
  absl::StatusCode code;
  void (*spoil)(Files* files);
  std::string error;  // how it ends
};
class TlsFiles : public ::testing::TestWithParam<FileRow> {};

TEST_P(TlsFiles, AreNamedWithWhatIsWrong) {
  const TestFolder folder;
  const TestAuthority authority("authority");
  const Certificate certificate = authority.Issue("server");
  Files files{{.cert_file = folder.Write("cert.pem", certificate.certificate),
               .key_file = folder.Write("key.pem", certificate.key),
               .client_ca_file = folder.Write("ca.pem", authority.certificate())},
              folder,
              certificate};
  ASSERT_TRUE(ReadTlsFiles(files.options).ok());
  GetParam().spoil(&files);
  const auto read = ReadTlsFiles(files.options);
  EXPECT_EQ(read.status().code(), GetParam().code);
  EXPECT_THAT(std::string(read.status().message()), EndsWith(GetParam().error));
  ServerOptions server;
  server.tls = files.options;
  EXPECT_EQ(Server::Start(server, Echo).status(), read.status());
}

constexpr auto kUnread = absl::StatusCode::kUnavailable;
constexpr auto kWrong = absl::StatusCode::kInvalidArgument;

INSTANTIATE_TEST_SUITE_P(
    Rows, TlsFiles,
    ::testing::Values(
        FileRow{"NoCertificate", kUnread,
                [](Files* files) { files->options.cert_file = "/nowhere/cert.pem"; },
                "--tls-cert /nowhere/cert.pem: No such file or directory"},
        FileRow{"NoKey", kUnread,
                [](Files* files) { files->options.key_file = "/nowhere/key.pem"; },
                "--tls-key /nowhere/key.pem: No such file or directory"},
        FileRow{"NoClientAuthority", kUnread,
                [](Files* files) { files->options.client_ca_file = "/nowhere/ca"; },
                "--client-ca /nowhere/ca: No such file or directory"},
        FileRow{"CertificateIsAFolder", kUnread,
                [](Files* files) { files->options.cert_file = "/"; },
                "--tls-cert /: Is a directory"},
        FileRow{"CertificateIsEmpty", kWrong,
                [](Files* files) { files->folder.Write("cert.pem", ""); }, "cert.pem: is empty"},
        FileRow{"CertificateIsJunk", kWrong,
                [](Files* files) { files->folder.Write("cert.pem", "junk"); },
                "cert.pem: not a PEM certificate"},
        FileRow{"CertificateIsCutOff", kWrong,
                [](Files* files) {
                  files->folder.Write("cert.pem", files->certificate.certificate.substr(0, 200));
                },
                "cert.pem: not a PEM certificate"},
        FileRow{"CertificateIsAKey", kWrong,
                [](Files* files) { files->folder.Write("cert.pem", files->certificate.key); },
                "cert.pem: not a PEM certificate"},
        FileRow{"KeyIsJunk", kWrong, [](Files* files) { files->folder.Write("key.pem", "junk"); },
                "key.pem: not a PEM private key"},
        FileRow{
            "KeyIsACertificate", kWrong,
            [](Files* files) { files->folder.Write("key.pem", files->certificate.certificate); },
            "key.pem: not a PEM private key"},
        FileRow{
            "KeyIsEncrypted", kWrong,
            [](Files* files) { files->folder.Write("key.pem", Encrypted(files->certificate.key)); },
            "key.pem: is encrypted; a key without a passphrase is accepted"},
        FileRow{"ClientAuthorityIsJunk", kWrong,
                [](Files* files) { files->folder.Write("ca.pem", "junk"); },
                "ca.pem: not a PEM certificate"}),
    [](const auto& row) { return row.param.name; });

struct OrderRow {
  const char* name;
  std::string (*chain)(const TestAuthority& authority, const Certificate& own);
  std::string error;  // how it ends, after the name of the certificate's file; empty: accepted
};
class TlsChain : public ::testing::TestWithParam<OrderRow> {};

TEST_P(TlsChain, NeedsTheServersCertificateFirst) {
  const TestFolder folder;
  const TestAuthority authority("authority");
  const Certificate own = authority.Issue("server");
  const std::string cert = folder.Write("cert.pem", GetParam().chain(authority, own));
  const std::string key = folder.Write("key.pem", own.key);
  const auto read = ReadTlsFiles({.cert_file = cert, .key_file = key, .client_ca_file = {}});
  const std::string error = GetParam().error;
  EXPECT_EQ(std::string(read.status().message()),
            error.empty()
                ? ""
                : fmt::format("--tls-key {}: {}", key, fmt::format(fmt::runtime(error), cert)));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, TlsChain,
    ::testing::Values(
        OrderRow{"ServerFirst",
                 [](const TestAuthority& authority, const Certificate& own) {
                   return own.certificate + authority.certificate();
                 },
                 ""},
        OrderRow{"AuthorityFirst",
                 [](const TestAuthority& authority, const Certificate& own) {
                   return authority.certificate() + own.certificate;
                 },
                 "is the key of certificate 2 in --tls-cert {}: the server's certificate must be "
                 "the first one, but the file begins with a CA's"},
        OrderRow{"AnotherServerFirst",
                 [](const TestAuthority& authority, const Certificate& own) {
                   return authority.Issue("other").certificate + authority.certificate() +
                          own.certificate;
                 },
                 "is the key of certificate 3 in --tls-cert {}: the server's certificate must be "
                 "the first one"},
        OrderRow{"AuthorityAlone",
                 [](const TestAuthority& authority, const Certificate&) {
                   return authority.certificate();
                 },
                 "is not the key of --tls-cert {}, which begins with the certificate of a CA: the "
                 "server's certificate must be the first one"},
        OrderRow{"AnotherServer",
                 [](const TestAuthority& authority, const Certificate&) {
                   return authority.Issue("other").certificate;
                 },
                 "is not the key of --tls-cert {}"}),
    [](const auto& row) { return row.param.name; });

}  // namespace

}  // namespace outrigger::http
