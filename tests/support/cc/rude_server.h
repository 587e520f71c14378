#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "gtest/gtest.h"

namespace outrigger::testing {

/// Takes one connection on 127.0.0.1, reads the head of a request, writes what the test wants, and
/// closes.
class RudeServer {
 public:
  using Talk = std::function<void(int peer)>;
  enum class Reads : uint8_t { kHead, kNothing };

  explicit RudeServer(Talk talk, Reads reads = Reads::kHead)
      : reads_(reads), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(where);
    auto* const address = reinterpret_cast<sockaddr*>(&where);
    EXPECT_EQ(::bind(listener_, address, size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, address, &size), 0);
    port_ = ntohs(where.sin_port);
    thread_ = std::jthread([this, talk = std::move(talk)] { Serve(talk); });
  }
  /// Answers each request with these bytes.
  explicit RudeServer(std::string answer)
      : RudeServer([answer = std::move(answer)](int peer) { Send(peer, answer); }) {}
  ~RudeServer() {
    ::shutdown(listener_, SHUT_RDWR);  // ends an accept() that waits
    AwaitTalk();
    ::close(listener_);
  }
  RudeServer(const RudeServer&) = delete;
  RudeServer& operator=(const RudeServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Returns the head of the request; waits until the connection is closed.
  const std::string& head() {
    AwaitTalk();
    return head_;
  }

  /// False once the peer has gone.
  static bool Send(int peer, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  /// Returns once the peer has gone, or after `patience_ms`.
  static void AwaitEnd(int peer, int patience_ms) {
    pollfd what{.fd = peer, .events = POLLRDHUP, .revents = 0};
    ::poll(&what, 1, patience_ms);
  }

 private:
  void AwaitTalk() {
    if (thread_.joinable()) thread_.join();
  }
  void Serve(const Talk& talk) {
    const int peer = ::accept(listener_, nullptr, nullptr);
    if (peer < 0) return;
    char byte = 0;
    while (reads_ == Reads::kHead && !head_.ends_with("\r\n\r\n") && ::recv(peer, &byte, 1, 0) == 1)
      head_ += byte;
    talk(peer);
    ::close(peer);
  }

  Reads reads_;
  int listener_;
  uint16_t port_ = 0;
  std::string head_;
  std::jthread thread_;
};

}  // namespace outrigger::testing
