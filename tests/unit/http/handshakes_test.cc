#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <string>

#include "certificates.h"
#include "raw_http.h"
#include "start.h"

// Which handshakes count as failed.

namespace outrigger::http {
namespace {

using testing::Certificate;
using testing::RawHttp;
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
  uint64_t failed;
};
class HttpHandshakes : public ::testing::TestWithParam<HandshakeRow> {};

TEST_P(HttpHandshakes, AreCountedWhenTheyFail) {
  const TestFolder folder;
  const TestAuthority authority("authority");
  const Certificate certificate = authority.Issue("server");
  ServerOptions options;
  options.head_timeout = std::chrono::milliseconds(500);
  options.tls = TlsOptions{.cert_file = folder.Write("cert.pem", certificate.certificate),
                           .key_file = folder.Write("key.pem", certificate.key),
                           .client_ca_file = folder.Write("ca.pem", authority.certificate())};
  const auto server = MustStart(Echo, options);
  GetParam().connect(server->port(), authority, folder);
  server->Drain(std::chrono::seconds(20));  // every connection has come to its end
  EXPECT_EQ(server->stats().connections_accepted, 1U);
  EXPECT_EQ(server->stats().handshakes_failed, GetParam().failed);
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
                     1},
        HandshakeRow{"CertificateOfAnotherAuthority",
                     [](uint16_t port, const TestAuthority&, const TestFolder& folder) {
                       GreetAs(TestAuthority("other").Issue("client"), port, folder);
                     },
                     1},
        HandshakeRow{"InClear",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) {
                       RawHttp(port).Call("GET", "/");
                     },
                     1},
        HandshakeRow{"BrokenOff",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) {
                       RawHttp(port).Send("\x16\x03\x01");
                     },
                     1},
        HandshakeRow{"Stalled",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) {
                       RawHttp client(port);
                       client.Send("\x16\x03\x01");
                       client.ReadsEnd();
                     },
                     1},
        HandshakeRow{"NotBegun",
                     [](uint16_t port, const TestAuthority&, const TestFolder&) { RawHttp{port}; },
                     0},
        HandshakeRow{"Completed",
                     [](uint16_t port, const TestAuthority& authority, const TestFolder& folder) {
                       GreetAs(authority.Issue("client"), port, folder);
                     },
                     0}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::http
