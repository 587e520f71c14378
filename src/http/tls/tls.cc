#include "http/tls/tls.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "http/fd.h"
#include "http/socket/transport.h"
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
      news =
          fmt::format("TLS: the changed files are not usable, the previous ones are still used: {}",
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

constexpr std::string_view kCertificate = "not a PEM certificate";
constexpr std::string_view kKey = "not a PEM private key";

/// A flag and the file that it names.
struct Named {
  std::string_view flag;
  const std::string& file;
};

absl::Status Refuse(const Named& named, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{} {}: {}", named.flag, named.file, why));
}

/// Why a file cannot be read, in the system's words: OpenSSL's say where in OpenSSL it was noticed.
absl::Status CheckReadable(const Named& named) {
  const Fd file(::open(named.file.c_str(), O_RDONLY | O_CLOEXEC));
  char first = 0;
  const ssize_t got = file.valid() ? ::read(file.get(), &first, 1) : -1;
  if (got > 0) return absl::OkStatus();
  if (got == 0) return Refuse(named, "is empty");
  return absl::UnavailableError(
      fmt::format("{} {}: {}", named.flag, named.file, std::generic_category().message(errno)));
}

/// What OpenSSL has against a file that could be read: usually that it is not `expected`.
absl::Status Unusable(const Named& named, std::string_view expected) {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const int reason = ERR_GET_REASON(error);
  const bool too_weak = ERR_GET_LIB(error) == ERR_LIB_SSL &&
                        (reason == SSL_R_EE_KEY_TOO_SMALL || reason == SSL_R_CA_KEY_TOO_SMALL ||
                         reason == SSL_R_CA_MD_TOO_WEAK);
  if (!too_weak) return Refuse(named, expected);
  return Refuse(named, fmt::format("is too weak: {}", ERR_reason_error_string(error)));
}

/// Without this OpenSSL would ask for the passphrase on the terminal, and wait.
int NoPassphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

absl::Status UseCertificate(const Named& cert, SSL_CTX* context) {
  absl::Status status = CheckReadable(cert);
  if (!status.ok()) return status;
  if (SSL_CTX_use_certificate_chain_file(context, cert.file.c_str()) == 1) return status;
  return Unusable(cert, kCertificate);
}

/// Returns what is wrong with a key that is not that of the first certificate: the order of the
/// certificates, if the key is that of a later one.
std::string Mismatch(const Named& key, const Named& cert) {
  const std::unique_ptr<BIO, int (*)(BIO*)> keys(BIO_new_file(key.file.c_str(), "r"), &BIO_free);
  const std::unique_ptr<BIO, int (*)(BIO*)> certs(BIO_new_file(cert.file.c_str(), "r"), &BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> own(
      PEM_read_bio_PrivateKey(keys.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  bool is_authority = false;
  for (int place = 1; own != nullptr; ++place) {
    const std::unique_ptr<X509, void (*)(X509*)> one(
        PEM_read_bio_X509(certs.get(), nullptr, nullptr, nullptr), &X509_free);
    if (one == nullptr) break;
    if (place == 1) is_authority = X509_check_ca(one.get()) > 0;
    if (X509_check_private_key(one.get(), own.get()) != 1) continue;
    return fmt::format(
        "is the key of certificate {} in {} {}: the server's certificate must be the first one{}",
        place, cert.flag, cert.file, is_authority ? ", but the file begins with a CA's" : "");
  }
  return fmt::format("is not the key of {} {}{}", cert.flag, cert.file,
                     is_authority ? ", which begins with the certificate of a CA: the server's "
                                    "certificate must be the first one"
                                  : "");
}

absl::Status UseKey(const Named& key, const Named& cert, SSL_CTX* context) {
  absl::Status status = CheckReadable(key);
  if (!status.ok()) return status;
  bool asked = false;
  SSL_CTX_set_default_passwd_cb(context, NoPassphrase);
  SSL_CTX_set_default_passwd_cb_userdata(context, &asked);
  const bool used = SSL_CTX_use_PrivateKey_file(context, key.file.c_str(), SSL_FILETYPE_PEM) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
  SSL_CTX_set_default_passwd_cb(context, nullptr);
  if (asked) return Refuse(key, "is encrypted; a key without a passphrase is accepted");
  // A key of another certificate is refused at once, or by the check, depending on its type.
  const unsigned long error = ERR_peek_last_error();
  const bool mismatch =
      ERR_GET_LIB(error) == ERR_LIB_X509 && (ERR_GET_REASON(error) == X509_R_KEY_VALUES_MISMATCH ||
                                             ERR_GET_REASON(error) == X509_R_KEY_TYPE_MISMATCH);
  if (mismatch || (used && SSL_CTX_check_private_key(context) != 1)) {
    const std::string why = Mismatch(key, cert);
    ERR_clear_error();
    return Refuse(key, why);
  }
  return used ? absl::OkStatus() : Unusable(key, kKey);
}

absl::Status RequireClients(const Named& ca, SSL_CTX* context) {
  absl::Status status = CheckReadable(ca);
  if (!status.ok()) return status;
  if (SSL_CTX_load_verify_locations(context, ca.file.c_str(), nullptr) != 1) {
    return Unusable(ca, kCertificate);
  }
  // Names the authorities to the client, so that it can choose among its certificates.
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(ca.file.c_str()));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return absl::OkStatus();
}

void Restrict(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // Resumed sessions would keep a client in whose certificate is not trusted any more.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Load(
    const TlsOptions& options, std::function<void(const std::string&)> warn) {
  // Marks first: what changes between the two is then read again.
  const Marks marks = MarksOf(options);
  auto context = ReadTlsFiles(options);
  if (!context.ok()) return context.status();
  return std::make_unique<TlsContextImpl>(options, std::move(warn), *std::move(context), marks);
}

absl::StatusOr<Context> ReadTlsFiles(const TlsOptions& options) {
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (context == nullptr) return absl::ResourceExhaustedError("no memory for TLS");
  Restrict(context.get());
  const Named cert{"--tls-cert", options.cert_file};
  absl::Status status = UseCertificate(cert, context.get());
  if (status.ok()) status = UseKey({"--tls-key", options.key_file}, cert, context.get());
  if (status.ok() && !options.client_ca_file.empty()) {
    status = RequireClients({"--client-ca", options.client_ca_file}, context.get());
  }
  if (!status.ok()) return status;
  return context;
}

}  // namespace outrigger::http
