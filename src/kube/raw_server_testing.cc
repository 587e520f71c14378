#include "raw_server_testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "fmt/format.h"

namespace outrigger::kube {
namespace {

constexpr int kPatienceMs = 20'000;

// Appends what comes; false at the end.
bool Receive(int fd, std::string* to) {
  pollfd in{fd, POLLIN, 0};
  if (::poll(&in, 1, kPatienceMs) <= 0) return false;
  std::array<char, 65536> space;
  const ssize_t got = ::recv(fd, space.data(), space.size(), 0);
  if (got <= 0) return false;
  to->append(space.data(), static_cast<size_t>(got));
  return true;
}

size_t ContentLength(std::string_view head) {
  const size_t at = head.find("Content-Length: ");
  return at == std::string_view::npos
             ? 0
             : std::strtoull(std::string(head.substr(at + 16, 20)).c_str(), nullptr, 10);
}

}  // namespace

std::string RawPeer::ReadRequest() {
  size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!Receive(fd_, &received_)) return {};
  }
  const size_t size = end + 4 + ContentLength(std::string_view(received_).substr(0, end));
  while (received_.size() < size) {
    if (!Receive(fd_, &received_)) return {};
  }
  std::string request = received_.substr(0, size);
  received_.erase(0, size);
  return request;
}

bool RawPeer::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void RawPeer::AwaitEnd() {
  while (Receive(fd_, &received_)) {
  }
}

void RawPeer::Pause(std::chrono::milliseconds time) {
  pollfd gone{fd_, POLLRDHUP, 0};
  ::poll(&gone, 1, static_cast<int>(time.count()));
}

int ThisThread() {
  return static_cast<int>(::gettid());
}

bool AwaitAsleep(int thread) {
  const std::string path = fmt::format("/proc/self/task/{}/stat", thread);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (std::chrono::steady_clock::now() < end) {
    std::ifstream file(path);
    std::string stat;
    std::getline(file, stat);
    const size_t name_end = stat.rfind(')');  // "<id> (<name>) <state> ..."
    if (name_end != std::string::npos && stat.substr(name_end, 3) == ") S") return true;
    std::this_thread::yield();
  }
  return false;
}

RawServer::RawServer(Script script)
    : script_(std::move(script)), listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(where);
  if (::bind(listening_, reinterpret_cast<sockaddr*>(&where), size) != 0 ||
      ::listen(listening_, 1024) != 0 ||
      ::getsockname(listening_, reinterpret_cast<sockaddr*>(&where), &size) != 0) {
    std::abort();
  }
  port_ = ntohs(where.sin_port);
  accepting_ = std::thread([this] { Accept(); });
}

RawServer::~RawServer() {
  ::shutdown(listening_, SHUT_RDWR);
  accepting_.join();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  ::close(listening_);
}

size_t RawServer::connections() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return threads_.size();
}

void RawServer::Accept() {
  for (;;) {
    const int fd = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd, number = threads_.size()] {
      RawPeer peer(fd);
      script_(peer, number);
      const std::lock_guard<std::mutex> closing(mutex_);
      std::erase(open_, fd);
      ::close(fd);
    });
  }
}

std::string Answer(int code, std::string_view body, std::string_view headers) {
  return fmt::format("HTTP/1.1 {} Text\r\nContent-Length: {}\r\n{}\r\n{}", code, body.size(),
                     headers, body);
}

}  // namespace outrigger::kube
