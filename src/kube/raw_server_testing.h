#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace outrigger::kube {

/// The server's end of a connection, for tests that answer with bytes of their own. Waits end when
/// the server does, or after 20 seconds.
class RawPeer {
 public:
  explicit RawPeer(int fd) : fd_(fd) {}
  /// The next request, head and body by Content-Length; empty if the client is gone.
  std::string ReadRequest();
  /// False when nobody takes the bytes any more.
  bool Send(std::string_view bytes);
  /// Until the client closes.
  void AwaitEnd();
  /// Nothing for `time`, or until the client closes. Real time: timeouts go by libcurl's own clock,
  /// which no test can set, so what outlasts or outruns one has to wait.
  void Pause(std::chrono::milliseconds time);

 private:
  int fd_;
  std::string received_;
};

/// Listens on a port of its own and gives each connection to `script`, on a thread of its own, with
/// its number from 0. The connection is closed when the script returns.
class RawServer {
 public:
  using Script = std::function<void(RawPeer& peer, size_t connection)>;
  explicit RawServer(Script script);
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer();

  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  size_t connections();

 private:
  void Accept();

  const Script script_;
  int listening_ = -1;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

/// The calling thread, for AwaitAsleep().
int ThisThread();
/// Until the kernel says that a thread of this process sleeps: it waits for something. False after
/// 20 seconds.
bool AwaitAsleep(int thread);

/// An answer with Content-Length.
std::string Answer(int code, std::string_view body, std::string_view headers = "");

}  // namespace outrigger::kube
