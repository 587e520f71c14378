#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <memory>
#include <string>

#include "certificates.h"
#include "http/fd.h"
#include "http/start_testing.h"

namespace outrigger::http {
namespace {

using testing::Certificate;
using testing::TestAuthority;
using testing::TestFolder;

/// A client that goes on sending, whatever the server thinks of its certificate. With TLS 1.3 it
/// may: its part of the handshake ends before the server's judgement.
class StubbornClient {
 public:
  StubbornClient(uint16_t port, const std::string& cert_file, const std::string& key_file)
      : context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free),
        ssl_((Configure(cert_file, key_file), SSL_new(context_.get())), &SSL_free),
        socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    ::signal(SIGPIPE, SIG_IGN);  // a failed write is what the test looks for
    const timeval limit{20, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address),
                           sizeof(address)) == 0 &&
                 SSL_set_fd(ssl_.get(), socket_.get()) == 1 && SSL_connect(ssl_.get()) == 1;
  }

  bool connected() const { return connected_; }
  bool Send(const std::string& bytes) {
    size_t written = 0;
    return SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written) == 1;
  }
  /// What the server says in its alert; the error of the socket if it says nothing.
  std::string Alert() {
    ERR_clear_error();
    char byte = 0;
    size_t read = 0;
    if (SSL_read_ex(ssl_.get(), &byte, 1, &read) == 1) return "no alert, but an answer";
    const char* const reason = ERR_reason_error_string(ERR_peek_error());
    return reason != nullptr ? reason : "no alert";
  }

 private:
  void Configure(const std::string& cert_file, const std::string& key_file) {
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_3_VERSION);
    if (cert_file.empty()) return;
    SSL_CTX_use_certificate_file(context_.get(), cert_file.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_.get(), key_file.c_str(), SSL_FILETYPE_PEM);
  }

  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  const std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  const Fd socket_;
  bool connected_ = false;
};

struct RefusalRow {
  std::string name;
  bool shows_certificate;
  std::string alert;
};
class HttpTlsRefusal : public ::testing::TestWithParam<RefusalRow> {};

// More than the buffers of both sockets hold: it can only be sent while somebody reads.
const std::string kRequest(size_t{16} << 20, 'x');

TEST_P(HttpTlsRefusal, TellsWhyToAClientThatIsSendingItsRequest) {
  const TestFolder folder;
  const TestAuthority authority("authority");
  const Certificate server_certificate = authority.Issue("server");
  const Certificate foreign = TestAuthority("other").Issue("client");
  ServerOptions options;
  options.tls = TlsOptions{.cert_file = folder.Write("cert.pem", server_certificate.certificate),
                           .key_file = folder.Write("key.pem", server_certificate.key),
                           .client_ca_file = folder.Write("ca.pem", authority.certificate())};
  const auto server = MustStart(Echo, options);
  const bool shows = GetParam().shows_certificate;
  StubbornClient client(server->port(),
                        shows ? folder.Write("client.pem", foreign.certificate) : "",
                        shows ? folder.Write("client-key.pem", foreign.key) : "");
  ASSERT_TRUE(client.connected());
  EXPECT_TRUE(client.Send(kRequest)) << "a reset takes the alert from whoever is writing";
  EXPECT_EQ(client.Alert(), GetParam().alert);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HttpTlsRefusal,
    ::testing::Values(RefusalRow{"NoCertificate", false, "tlsv13 alert certificate required"},
                      RefusalRow{"CertificateOfAnotherAuthority", true, "tlsv1 alert unknown ca"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::http
