#include "http/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr size_t kBufferSize = size_t{16} << 10;
constexpr milliseconds kLingerTime{1000};
constexpr size_t kLingerBytes = size_t{16} << 20;

std::string PeerOf(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return {};
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

milliseconds LeftUntil(Clock::time_point deadline) {
  return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(deadline - Clock::now()));
}

}  // namespace

Connection::Connection(Fd socket, milliseconds io_timeout)
    : socket_(std::move(socket)),
      io_timeout_(io_timeout),
      peer_(PeerOf(socket_.get())),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferSize)) {
  // Without this a small answer waits for the peer's delayed acknowledgement, some 40 ms.
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int Connection::Await(short events, milliseconds timeout, int wake) {
  const Clock::time_point deadline = Clock::now() + timeout;
  for (;;) {
    // poll() skips a negative descriptor, so no wake needs no case of its own.
    std::array<pollfd, 2> fds{{{socket_.get(), events, 0}, {wake, POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(LeftUntil(deadline).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return ready;
    return fds[0].revents != 0 ? 1 : 2;
  }
}

Connection::Arrival Connection::AwaitBytes(milliseconds timeout, int wake) {
  if (buffered() > 0) return Arrival::kBytes;
  switch (Await(POLLIN, timeout, wake)) {
    case 0:
      return Arrival::kTimeout;
    case 1:
      break;
    case 2:
      return Arrival::kWoken;
    default:
      return Arrival::kClosed;
  }
  const ssize_t received = Receive(buffer_.get(), kBufferSize);
  if (received <= 0) return Arrival::kClosed;
  begin_ = 0;
  end_ = static_cast<size_t>(received);
  return Arrival::kBytes;
}

void Connection::BeginHead(size_t limit) {
  in_head_ = true;
  head_left_ = limit;
  head_too_large_ = false;
  timed_out_ = false;
}

ssize_t Connection::Read(char* to, size_t size) {
  if (in_head_ && head_left_ == 0) {
    head_too_large_ = true;
    return -1;
  }
  if (buffered() == 0) {
    // Bodies go straight to their place.
    if (!in_head_ && size >= kBufferSize) return Receive(to, size);
    const ssize_t received = Receive(buffer_.get(), kBufferSize);
    if (received <= 0) return received;
    begin_ = 0;
    end_ = static_cast<size_t>(received);
  }
  size = std::min(size, buffered());
  if (in_head_) {
    size = std::min(size, head_left_);
    head_left_ -= size;
  }
  std::memcpy(to, buffer_.get() + begin_, size);
  begin_ += size;
  return static_cast<ssize_t>(size);
}

bool Connection::ReadExactly(char* to, size_t size) {
  while (size > 0) {
    const ssize_t got = Read(to, size);
    if (got <= 0) return false;
    to += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

ssize_t Connection::Receive(char* to, size_t size) {
  if (!held_.empty() && !Send({})) return -1;
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), to, size, 0);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    const int ready = Await(POLLIN, io_timeout_, -1);
    timed_out_ = ready == 0;
    if (ready <= 0) return -1;
  }
}

bool Connection::Send(std::string_view tail) {
  std::string_view head = held_;
  bool sent_all = true;
  while (sent_all && head.size() + tail.size() > 0) {
    std::array<iovec, 2> parts{{{const_cast<char*>(head.data()), head.size()},
                                {const_cast<char*>(tail.data()), tail.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      sent_all = (errno == EAGAIN || errno == EWOULDBLOCK) && Await(POLLOUT, io_timeout_, -1) > 0;
      continue;
    }
    const size_t of_head = std::min(head.size(), static_cast<size_t>(sent));
    head.remove_prefix(of_head);
    tail.remove_prefix(static_cast<size_t>(sent) - of_head);
  }
  held_.clear();
  return sent_all;
}

void Connection::Linger() {
  ::shutdown(socket_.get(), SHUT_WR);
  const Clock::time_point deadline = Clock::now() + kLingerTime;
  for (size_t discarded = 0; discarded < kLingerBytes;) {
    if (Await(POLLIN, LeftUntil(deadline), -1) <= 0) return;
    const ssize_t got = ::recv(socket_.get(), buffer_.get(), kBufferSize, 0);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return;
    if (got > 0) discarded += static_cast<size_t>(got);
  }
}

void Connection::Abort() {
  ::shutdown(socket_.get(), SHUT_RDWR);
}

}  // namespace outrigger::http
