#include "http/tls/transport.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "fmt/format.h"

namespace outrigger::http {
namespace {

// A record holds as much; a small answer's head and body share one.
constexpr size_t kRecord = size_t{16} << 10;

// OpenSSL's own socket BIO writes with write(2), which raises SIGPIPE when the peer has gone.
int SocketOf(BIO* bio) {
  return *static_cast<const int*>(BIO_get_data(bio));
}

int FinishMove(BIO* bio, ssize_t moved, bool reading) {
  BIO_clear_retry_flags(bio);
  if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    if (reading) {
      BIO_set_retry_read(bio);
    } else {
      BIO_set_retry_write(bio);
    }
  }
  return static_cast<int>(moved);
}

int Send(BIO* bio, const char* from, int size) {
  return FinishMove(bio, ::send(SocketOf(bio), from, static_cast<size_t>(size), MSG_NOSIGNAL),
                    false);
}

int Receive(BIO* bio, char* to, int size) {
  return FinishMove(bio, ::recv(SocketOf(bio), to, static_cast<size_t>(size), 0), true);
}

long Control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* Method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "socket");
    BIO_meth_set_write(made, Send);
    BIO_meth_set_read(made, Receive);
    BIO_meth_set_ctrl(made, Control);
    return made;
  }();
  return method;
}

class TlsTransport final : public Transport {
 public:
  /// Takes both; `bio` gets its descriptor from here.
  TlsTransport(SSL* ssl, BIO* bio, int socket) : ssl_(ssl), socket_(socket) {
    BIO_set_data(bio, &socket_);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
  }
  ~TlsTransport() override { SSL_free(ssl_); }
  TlsTransport(const TlsTransport&) = delete;
  TlsTransport& operator=(const TlsTransport&) = delete;

  Moved Handshake() override {
    ERR_clear_error();
    const Moved moved = Result(SSL_accept(ssl_), 0);
    if (moved.how != Moved::How::kFailed) return moved;
    const bool silent = BIO_number_read(SSL_get_rbio(ssl_)) == 0;
    if (silent) return {Moved::How::kEnd, 0};
    failure_ = WhyFailed();
    return moved;
  }
  std::string HandshakeFailure() const override { return failure_; }
  Moved Read(char* to, size_t size) override {
    ERR_clear_error();
    size_t moved = 0;
    const int result = SSL_read_ex(ssl_, to, size, &moved);
    return Result(result, moved);
  }
  Moved Write(std::span<const std::string_view> parts) override {
    std::string_view bytes = parts.front();
    if (bytes.size() < kRecord && parts.size() > 1) {
      record_.clear();
      for (const std::string_view part : parts) {
        record_.append(part.substr(0, kRecord - record_.size()));
        if (record_.size() == kRecord) break;
      }
      bytes = record_;
    }
    ERR_clear_error();
    size_t moved = 0;
    const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &moved);
    return Result(result, moved);
  }
  void EndWriting() override {
    ERR_clear_error();
    SSL_shutdown(ssl_);
    ::shutdown(socket_, SHUT_WR);
  }

 private:
  std::string WhyFailed() const {
    const long verdict = SSL_get_verify_result(ssl_);
    if (verdict != X509_V_OK) {
      return fmt::format("the peer's certificate: {}", X509_verify_cert_error_string(verdict));
    }
    const unsigned long error = ERR_peek_error();
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST) {
      return "the peer speaks HTTP in clear";
    }
    const char* const reason = ERR_reason_error_string(error);
    return reason != nullptr ? reason : "the peer hung up";
  }

  Moved Result(int result, size_t moved) const {
    if (result > 0) return {Moved::How::kBytes, moved};
    switch (SSL_get_error(ssl_, result)) {
      case SSL_ERROR_WANT_READ:
        return {Moved::How::kWouldRead, 0};
      case SSL_ERROR_WANT_WRITE:
        return {Moved::How::kWouldWrite, 0};
      case SSL_ERROR_ZERO_RETURN:
        return {Moved::How::kEnd, 0};
      default:
        return {Moved::How::kFailed, 0};
    }
  }

  SSL* const ssl_;
  int socket_;  // the BIO's data is a pointer to it
  std::string record_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Transport> MakeTlsTransport(SSL_CTX* context, const Fd& socket) {
  SSL* const ssl = SSL_new(context);
  BIO* const bio = BIO_new(Method());
  if (ssl == nullptr || bio == nullptr) {
    SSL_free(ssl);
    BIO_free(bio);
    return nullptr;
  }
  return std::make_unique<TlsTransport>(ssl, bio, socket.get());
}

}  // namespace outrigger::http
