#include "http/client/wire.h"

#include <fcntl.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "http/client/headers.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::http_client {
namespace {

// The socket of a call, for the thread that ends the call when it takes too long. Holds a
// descriptor of its own, so what it shuts down is the call's connection even after httplib closed
// its descriptor. httplib::Client::stop() would wait for a TLS handshake that trickles.
class SocketGuard {
 public:
  SocketGuard() = default;
  ~SocketGuard();
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;

  // Takes a duplicate of `socket`, in place of the one before.
  void Watch(int socket);
  // Ends the connection, in both directions.
  void Shutdown();

 private:
  Mutex mutex_;
  int socket_ ABSL_GUARDED_BY(mutex_) = -1;
};

SocketGuard::~SocketGuard() {
  const MutexLock lock(mutex_);
  if (socket_ >= 0) ::close(socket_);
}

void SocketGuard::Watch(int socket) {
  const MutexLock lock(mutex_);
  if (socket_ >= 0) ::close(socket_);
  socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
}

void SocketGuard::Shutdown() {
  const MutexLock lock(mutex_);
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

// Writing to a connection that has ended is an error on this thread, and does not end the process
// by SIGPIPE, for as long as this lives: OpenSSL writes with write(2), and a deadline shuts the
// connection down under it. Not thread-safe: create and destroy it on one thread.
class NoBrokenPipes {
 public:
  NoBrokenPipes();
  ~NoBrokenPipes();
  NoBrokenPipes(const NoBrokenPipes&) = delete;
  NoBrokenPipes& operator=(const NoBrokenPipes&) = delete;

 private:
  sigset_t before_ = {};
};

sigset_t BrokenPipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  return signals;
}

NoBrokenPipes::NoBrokenPipes() {
  const sigset_t signals = BrokenPipe();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

NoBrokenPipes::~NoBrokenPipes() {
  const sigset_t signals = BrokenPipe();
  // One that was blocked before is its blocker's to take.
  if (sigismember(&before_, SIGPIPE) == 0) {
    const timespec at_once{};
    sigtimedwait(&signals, nullptr, &at_once);  // what this thread has raised meanwhile
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

using SteadyClock = std::chrono::steady_clock;

absl::Status TooLate(const Call& call, std::chrono::milliseconds limit) {
  return absl::DeadlineExceededError(
      fmt::format("{}: no complete answer within {} ms", call.url, limit.count()));
}

absl::Status WhyNoAnswer(const Peer& peer, const Call& call, const Limits& limits,
                         httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return absl::UnavailableError(fmt::format("{}: no connection. {}", call.url, peer.check));
    case httplib::Error::ConnectionTimeout:
      return TooLate(call, limits.connect);
    case httplib::Error::SSLConnection:
      return absl::UnavailableError(fmt::format(
          "{}: no TLS connection. Check that the server speaks TLS on this port, and whether it "
          "asks for a client certificate",
          call.url));
    case httplib::Error::SSLLoadingCerts:
      return absl::FailedPreconditionError(
          fmt::format("{}: the authorities in {} cannot be used: PEM is expected", call.url,
                      peer.ca_file.empty() ? "the system's folder" : peer.ca_file));
    case httplib::Error::SSLServerVerification:
      return absl::UnavailableError(fmt::format(
          "{}: the server's certificate is not accepted. Check that {} has its authority, that it "
          "names the host {} and that it is valid now",
          call.url, peer.ca_file.empty() ? "the system" : peer.ca_file, peer.host));
    default:
      return absl::DataLossError(
          fmt::format("{}: the connection ended before a complete HTTP answer ({})", call.url,
                      httplib::to_string(error)));
  }
}

/// Returns the client of one call: no redirects, no compression, no second call.
std::unique_ptr<httplib::ClientImpl> MakeClient(const Peer& peer, const Limits& limits) {
  std::unique_ptr<httplib::ClientImpl> client;
  if (peer.tls) {
    client =
        std::make_unique<httplib::SSLClient>(peer.host, peer.port, peer.cert_file, peer.key_file);
    client->enable_server_certificate_verification(true);
    if (!peer.ca_file.empty()) client->set_ca_cert_path(peer.ca_file, {});
  } else {
    client = std::make_unique<httplib::ClientImpl>(peer.host, peer.port);
  }
  client->set_connection_timeout(std::min(limits.connect, limits.total));
  client->set_read_timeout(limits.read);
  client->set_write_timeout(limits.read);
  client->set_follow_location(false);
  client->set_decompress(false);
  client->set_keep_alive(false);
  client->set_url_encode(false);
  return client;
}

httplib::Request MakeRequest(const Peer& peer, const Call& call) {
  httplib::Request request;
  request.method = call.method;
  request.path = call.target;
  request.headers = {{"Accept", "application/json"}};
  for (const auto& [name, value] : peer.headers) request.headers.emplace(name, value);
  if (call.method == "POST") {
    request.headers.emplace("Content-Type", "application/x-www-form-urlencoded");
    request.body = call.form;
  }
  return request;
}

constexpr std::chrono::milliseconds kAgain{10};

}  // namespace

absl::StatusOr<Answer> Exchange(const Peer& peer, const Call& call, const Limits& limits,
                                const std::stop_token& stop) {
  const NoBrokenPipes none;  // first: the client's end may write, too
  const std::unique_ptr<httplib::ClientImpl> client = MakeClient(peer, limits);
  if (!client->is_valid()) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: the client certificate in {} and the key in {} cannot be used: PEM is expected, and "
        "the key must be that of the first certificate",
        call.url, peer.cert_file, peer.key_file));
  }
  SocketGuard guard;
  client->set_socket_options([&guard](int socket) { guard.Watch(socket); });
  Answer answer;
  bool too_large = false;
  httplib::Request request = MakeRequest(peer, call);
  request.content_receiver = [&](const char* data, size_t size, uint64_t /*at*/, uint64_t /*of*/) {
    too_large = answer.body.size() + size > limits.max_bytes;
    if (!too_large) answer.body.append(data, size);
    return !too_large;
  };
  const SteadyClock::time_point start = SteadyClock::now();
  const Deadline deadline(limits.total, stop, [&guard] { guard.Shutdown(); });
  const httplib::Result result = client->send(request);
  if (too_large) {
    return absl::ResourceExhaustedError(
        fmt::format("{}: the answer has more than {} bytes", call.url, limits.max_bytes));
  }
  if (stop.stop_requested()) return absl::CancelledError(call.url + ": a stop was requested");
  // Before the result: without a length, a body that the deadline has cut looks complete.
  if (deadline.passed()) return TooLate(call, limits.total);
  if (!result && result.error() == httplib::Error::Read &&
      SteadyClock::now() - start >= limits.read) {
    return TooLate(call, limits.read);
  }
  if (!result) return WhyNoAnswer(peer, call, limits, result.error());
  answer.status = result->status;
  answer.location = result->get_header_value("Location");
  if (answer.status >= 400) HideSecrets(peer.headers, &answer.body);
  return answer;
}

Deadline::Deadline(std::chrono::milliseconds total, const std::stop_token& stop,
                   std::function<void()> end)
    : by_caller_(stop, [this] { early_.request_stop(); }),
      thread_([this, total, end = std::move(end)](const std::stop_token& destroyed) {
        SleepFor(total, early_.get_token());
        while (!destroyed.stop_requested()) {
          passed_ = true;
          end();
          SleepFor(kAgain, destroyed);
        }
      }) {}

Deadline::~Deadline() {
  thread_.request_stop();
  early_.request_stop();
}

}  // namespace outrigger::http_client
