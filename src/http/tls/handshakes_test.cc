#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "certificates.h"
#include "http/start_testing.h"
#include "raw_http.h"

// Which handshakes count as failed, and what is said of them.

namespace outrigger::http {
namespace {

using testing::Certificate;
using ::testing::HasSubstr;
using testing::RawHttp;
using ::testing::SizeIs;
using testing::TestAuthority;
using testing::TestFolder;

void Greet(uint16_t port, const std::string& cert_file = "", const std::string& key_file = "") {
  httplib::SSLClient client("127.0.0.1", port, cert_file, key_file);
  client.enable_server_certificate_verification(false);
  client.Get("/");
}

struct HandshakeRow {
  const char* name;
  void (*connect)(uint16_t port, const TestAuthority& clients, const TestFolder& folder);
  std::string why;  // part of the warning; empty: the handshake does not fail
};
class HttpHandshakes : public ::testing::TestWithParam<HandshakeRow> {};

TEST_P(HttpHandshakes, AreCountedAndWarnedAboutWhenTheyFail) {
  const TestFolder folder;
  const TestAuthority authority("authority");
  const Certificate certificate = authority.Issue("server");
  ServerOptions options;
  options.head_timeout = std::chrono::milliseconds(500);
  options.tls = TlsOptions{.cert_file = folder.Write("cert.pem", certificate.certificate),
                           .key_file = folder.Write("key.pem", certificate.key),
                           .client_ca_file = folder.Write("ca.pem", authority.certificate())};
  std::mutex mutex;
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex);
    warnings.push_back(text);
  };
  const auto server = MustStart(Echo, options);
  GetParam().connect(server->port(), authority, folder);
  server->Drain(std::chrono::seconds(20));  // every connection has come to its end
  EXPECT_EQ(server->stats().connections_accepted, 1U);
  const size_t failed = GetParam().why.empty() ? 0 : 1;
  EXPECT_EQ(server->stats().handshakes_failed, failed);
  ASSERT_THAT(warnings, SizeIs(failed));
  if (failed > 0) {
    EXPECT_THAT(warnings[0], HasSubstr("a handshake with 127.0.0.1 failed: " + GetParam().why));
  }
  EXPECT_EQ(server->stats().requests_refused, 0U);
}

void GreetAs(const Certificate& mine, uint16_t port, const TestFolder& folder) {
  Greet(port, folder.Write("client.pem", mine.certificate),
        folder.Write("client-key.pem", mine.key));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HttpHandshakes,
    ::testing::Values(
        HandshakeRow{"NoCertificate",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) { Greet(port); },
                     "peer did not return a certificate"},
        HandshakeRow{"CertificateOfAnotherAuthority",
                     [](uint16_t port, const TestAuthority&, const TestFolder& folder) {
                       GreetAs(TestAuthority("other").Issue("client"), port, folder);
                     },
                     "the peer's certificate: "},
        HandshakeRow{"InClear",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) {
                       RawHttp(port).Call("GET", "/");
                     },
                     "the peer speaks HTTP in clear"},
        HandshakeRow{"BrokenOff",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) {
                       RawHttp(port).Send("\x16\x03\x01");
                     },
                     "the peer hung up"},
        HandshakeRow{"Stalled",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) {
                       RawHttp client(port);
                       client.Send("\x16\x03\x01");
                       client.ReadsEnd();
                     },
                     "it was not completed in time"},
        HandshakeRow{"NotBegun",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) { RawHttp{port}; },
                     ""},
        HandshakeRow{"Completed",
                     [](uint16_t port, const TestAuthority& authority, const TestFolder& folder) {
                       GreetAs(authority.Issue("client"), port, folder);
                     },
                     ""}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::http
