#include "http/socket/listener.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace outrigger::http {
namespace {

// The kernel cuts this to net.core.somaxconn.
constexpr int kBacklog = 4096;

absl::Status Failed(const std::string& address, uint16_t port, int error) {
  const std::string text = fmt::format("cannot listen on {}:{}: {}", address, port,
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
        "cannot listen on {}:{}: accepted is an IP address or localhost", address, port));
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
