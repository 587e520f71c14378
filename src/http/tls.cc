#include "http/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <mutex>
#include <utility>

#include "fmt/format.h"
#include "http/tls_transport.h"

namespace outrigger::http {
namespace {

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

absl::Status Wrong(std::string_view flag, const std::string& file) {
  std::array<char, 256> why{};
  const unsigned long error = ERR_peek_last_error();
  if (error != 0) ERR_error_string_n(error, why.data(), why.size());
  ERR_clear_error();
  return absl::InvalidArgumentError(
      fmt::format("{} {}: {}", flag, file, error != 0 ? why.data() : "cannot be read"));
}

absl::Status RequireClients(const std::string& file, SSL_CTX* context) {
  if (SSL_CTX_load_verify_locations(context, file.c_str(), nullptr) != 1) {
    return Wrong("--client-ca", file);
  }
  // Names the authorities to the client, so that it can choose among its certificates.
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(file.c_str()));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return absl::OkStatus();
}

absl::StatusOr<Context> Read(const TlsOptions& options) {
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (context == nullptr) return absl::ResourceExhaustedError("no memory for TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  // Resumed sessions would keep a client in whose certificate is not trusted any more.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  if (SSL_CTX_use_certificate_chain_file(context.get(), options.cert_file.c_str()) != 1) {
    return Wrong("--tls-cert", options.cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Wrong("--tls-key", options.key_file);
  }
  if (SSL_CTX_check_private_key(context.get()) != 1) {
    return Wrong("--tls-key", options.key_file + " (not the key of --tls-cert)");
  }
  if (!options.client_ca_file.empty()) {
    const absl::Status status = RequireClients(options.client_ca_file, context.get());
    if (!status.ok()) return status;
  }
  return context;
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
    const std::lock_guard<std::mutex> lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (now >= look_again_) {
      look_again_ = now + kLookAgain;
      TakeChanges();
    }
    return context_;
  }

  void TakeChanges() {
    const Marks marks = MarksOf(options_);
    if (marks == marks_) return;
    marks_ = marks;
    auto changed = Read(options_);
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
  std::mutex mutex_;
  Context context_;               // guarded by mutex_
  Marks marks_;                   // guarded by mutex_
  Clock::time_point look_again_;  // guarded by mutex_
};

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Load(
    const TlsOptions& options, std::function<void(const std::string&)> warn) {
  // Marks first: what changes between the two is then read again.
  const Marks marks = MarksOf(options);
  auto context = Read(options);
  if (!context.ok()) return context.status();
  return std::make_unique<TlsContextImpl>(options, std::move(warn), *std::move(context), marks);
}

}  // namespace outrigger::http
