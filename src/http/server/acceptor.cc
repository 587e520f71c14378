#include "http/server/acceptor.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "sdk/base/url.h"

namespace outrigger::http {
namespace {

constexpr int kAcceptAtOnce = 64;
constexpr int kAcceptAtEnd = 4096;
// Refused connections that may still be told why; more are closed at once.
constexpr size_t kMostTold = 64;

// The kernel cuts this to net.core.somaxconn.
constexpr int kBacklog = 4096;

absl::Status Failed(const std::string& address, uint16_t port, int error) {
  const std::string text = fmt::format("cannot listen on {}: {}", HostAndPort(address, port),
                                       std::generic_category().message(error));
  switch (error) {
    case EADDRINUSE:
      return absl::AlreadyExistsError(text);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(text);
    case EADDRNOTAVAIL:
      return absl::InvalidArgumentError(text);
    default:
      return absl::UnavailableError(text);
  }
}

absl::StatusOr<Fd> ListenOn(const addrinfo& where, const std::string& address, uint16_t port) {
  Fd fd(::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return Failed(address, port, errno);
  // Lets a restarted process take its port back at once. It does not let two listen on one port:
  // that would be SO_REUSEPORT, with which a forgotten instance takes half of the calls.
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(fd.get(), where.ai_addr, where.ai_addrlen) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return Failed(address, port, errno);
  }
  return fd;
}

}  // namespace

Acceptor::Acceptor(Fd listener, std::unique_ptr<TlsContext> tls, Shared& shared, Poller& poller,
                   ConnectionDriver& driver)
    : shared_(shared),
      poller_(poller),
      driver_(driver),
      max_connections_(MaxConnections(shared.options)),
      tls_(std::move(tls)),
      listener_(std::move(listener)),
      port_(PortOf(listener_)) {}

void Acceptor::Count(ServerStats* stats) const {
  stats->connections_accepted = accepted_;
  stats->connections_refused = turned_away_;
  stats->connections_evicted = evicted_;
}

void Acceptor::AcceptWaiting() {
  const MutexLock lock(mutex_);
  Accept(kAcceptAtOnce);
}

void Acceptor::Close() {
  const MutexLock lock(mutex_);
  Accept(kAcceptAtEnd);
  listener_.Close();
}

void Acceptor::Accept(int at_most) {
  for (int i = 0; i < at_most && listener_.valid(); ++i) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      Welcome(std::move(socket));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      if (!AwaitDescriptors()) return;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    }
    // Else the one connection is lost (ECONNABORTED and its like), not the listener.
  }
}

/// The listener stays readable without descriptors: get one back, or at least do not spin.
bool Acceptor::AwaitDescriptors() {
  if (MakeRoom()) return true;
  ::poll(nullptr, 0, 10);
  return false;
}

bool Acceptor::MakeRoom() {
  const Poller::Held spared = poller_.TakeOne();
  if (spared == nullptr) return false;
  ++evicted_;
  driver_.Close(spared);
  return true;
}

void Acceptor::Welcome(Fd socket) {
  ++accepted_;
  const size_t open = driver_.connections();
  const bool refused = open >= max_connections_ && !MakeRoom();
  if (refused) {
    ++turned_away_;
    // Through TLS a word costs a handshake, which is more than a refused peer gets.
    if (tls_ != nullptr || open >= max_connections_ + kMostTold) return;
  }
  const bool in_clear = tls_ == nullptr;
  auto transport = in_clear ? MakePlainTransport(socket) : tls_->Accept(socket);
  if (transport == nullptr) return;
  const auto connection = std::make_shared<Connection>(
      ++last_number_, std::move(socket), std::move(transport), /*handshake=*/!in_clear, shared_);
  if (!driver_.Adopt(connection)) return;
  if (refused) {
    connection->RefuseAll(503, "too many connections");
    // Here, since the workers may all be busy; a fresh socket takes so little at once.
    return driver_.Drive(connection);
  }
  // Not to a worker, even if bytes are here already: a flood of silent ones should cost none.
  driver_.Park(connection, Connection::Next::kRead, /*knew_of_drain=*/false);
}

absl::StatusOr<Fd> Listen(const std::string& address, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  // Names are not looked up: who listens must not depend on an answer of a name server.
  const std::string numeric = address == "localhost" ? "127.0.0.1" : address;
  const int error = ::getaddrinfo(numeric.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(fmt::format(
        "cannot listen on {}: accepted is an IP address or localhost", HostAndPort(address, port)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  return ListenOn(*found, address, port);
}

uint16_t PortOf(const Fd& socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  if (bound.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  if (bound.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port);
  return 0;
}

}  // namespace outrigger::http
