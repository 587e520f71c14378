#include "http/socket/transport.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace outrigger::http {
namespace {

// An answer of more parts takes another call of the system.
constexpr size_t kPartsAtOnce = 64;

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int socket) : socket_(socket) {}

  Moved Handshake() override { return {Moved::How::kBytes, 0}; }
  Moved Read(char* to, size_t size) override {
    ssize_t got = 0;
    do {
      got = ::recv(socket_, to, size, 0);
    } while (got < 0 && errno == EINTR);
    if (got == 0) return {Moved::How::kEnd, 0};
    return Result(got, Moved::How::kWouldRead);
  }
  Moved Write(std::span<const std::string_view> parts) override {
    std::array<iovec, kPartsAtOnce> vectors{};
    const size_t count = std::min(parts.size(), vectors.size());
    for (size_t i = 0; i < count; ++i) {
      vectors[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    ssize_t sent = 0;
    do {
      sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return Result(sent, Moved::How::kWouldWrite);
  }
  void EndWriting() override { ::shutdown(socket_, SHUT_WR); }

 private:
  static Moved Result(ssize_t moved, Moved::How later) {
    if (moved >= 0) return {Moved::How::kBytes, static_cast<size_t>(moved)};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {later, 0};
    return {Moved::How::kFailed, 0};
  }

  const int socket_;
};

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(const Fd& socket) {
  return std::make_unique<PlainTransport>(socket.get());
}

std::string PeerOf(const Fd& socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  if (::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return {};
  const void* address = nullptr;
  if (peer.ss_family == AF_INET) {
    address = &reinterpret_cast<const sockaddr_in*>(&peer)->sin_addr;
  } else if (peer.ss_family == AF_INET6) {
    address = &reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_addr;
  } else {
    return {};
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(peer.ss_family, address, text.data(), text.size()) != nullptr ? text.data()
                                                                                   : "";
}

}  // namespace outrigger::http
