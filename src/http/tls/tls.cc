#include "http/tls/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "http/fd.h"
#include "http/socket/transport.h"
#include "http/tls/files.h"
#include "outrigger/base/mutex.h"

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

// The server's end of a connection with the keys of `context`. Null without memory.
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

using Clock = std::chrono::steady_clock;
using Context = std::shared_ptr<SSL_CTX>;

// Looking at three files costs microseconds; a renewed certificate may be late by so much.
constexpr std::chrono::seconds kLookAgain{1};

/// What tells one version of a file from the next: a mounted secret changes by a link to another.
struct FileMark {
  ino_t inode = 0;
  off_t size = 0;
  int64_t changed_ns = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};
using Marks = std::array<FileMark, 3>;

FileMark MarkOf(const std::string& path) {
  struct stat info {};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_size,
          int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

Marks MarksOf(const TlsOptions& options) {
  return {MarkOf(options.cert_file), MarkOf(options.key_file), MarkOf(options.client_ca_file)};
}

class TlsContextImpl final : public TlsContext {
 public:
  TlsContextImpl(TlsOptions options, std::function<void(const std::string&)> warn, Context context,
                 const Marks& marks)
      : options_(std::move(options)),
        warn_(std::move(warn)),
        context_(std::move(context)),
        marks_(marks) {}

  std::unique_ptr<Transport> Accept(const Fd& socket) override {
    return MakeTlsTransport(Current().get(), socket);
  }

 private:
  /// A connection keeps its context alive by itself (SSL_new counts).
  Context Current() {
    const MutexLock lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (now >= look_again_) {
      look_again_ = now + kLookAgain;
      TakeChanges();
    }
    return context_;
  }

  void TakeChanges() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Marks marks = MarksOf(options_);
    if (marks == marks_) return;
    marks_ = marks;
    auto changed = ReadTlsFiles(options_);
    std::string news = "TLS: the changed files are in use now";
    if (changed.ok()) {
      context_ = *std::move(changed);
    } else {
      news = fmt::format("TLS: the changed files are not usable, those before stay in use: {}",
                         std::string(changed.status().message()));
    }
    if (warn_) warn_(news);
  }

  const TlsOptions options_;
  const std::function<void(const std::string&)> warn_;
  Mutex mutex_;
  Context context_ ABSL_GUARDED_BY(mutex_);
  Marks marks_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point look_again_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Load(
    const TlsOptions& options, std::function<void(const std::string&)> warn) {
  // Marks first: what changes between the two is then read again.
  const Marks marks = MarksOf(options);
  auto context = ReadTlsFiles(options);
  if (!context.ok()) return context.status();
  return std::make_unique<TlsContextImpl>(options, std::move(warn), *std::move(context), marks);
}

}  // namespace outrigger::http
