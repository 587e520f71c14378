#include "raw_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace outrigger::testing {
namespace {

constexpr int kPatienceMs = 20'000;

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

HttpAnswer ParseHead(std::string_view head) {
  HttpAnswer answer;
  answer.status = std::atoi(std::string(head.substr(head.find(' ') + 1, 3)).c_str());
  size_t line = head.find("\r\n");
  while (line != std::string_view::npos && line + 2 < head.size()) {
    const size_t start = line + 2;
    line = head.find("\r\n", start);
    const std::string_view text = head.substr(start, line - start);
    const size_t colon = text.find(": ");
    if (colon == std::string_view::npos) continue;
    answer.headers[LowerCase(text.substr(0, colon))] = std::string(text.substr(colon + 2));
  }
  return answer;
}

}  // namespace

std::string HttpAnswer::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? "" : found->second;
}

RawHttp::RawHttp(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

RawHttp::~RawHttp() {
  if (fd_ >= 0) ::close(fd_);
}

bool RawHttp::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd out{fd_, POLLOUT, 0};
    if (::poll(&out, 1, kPatienceMs) <= 0) return false;
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool RawHttp::SendRequest(std::string_view method, std::string_view path, std::string_view body,
                          std::string_view headers) {
  std::string request;
  request.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
  request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  request.append(headers).append("\r\n").append(body);
  return Send(request);
}

bool RawHttp::Receive() {
  pollfd in{fd_, POLLIN, 0};
  if (::poll(&in, 1, kPatienceMs) <= 0) return false;
  std::array<char, 65536> space;
  const ssize_t got = ::recv(fd_, space.data(), space.size(), 0);
  if (got <= 0) return false;
  received_.append(space.data(), static_cast<size_t>(got));
  return true;
}

std::optional<HttpAnswer> RawHttp::ReadAnswer(bool to_head) {
  for (;;) {
    size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!Receive()) return std::nullopt;
    }
    HttpAnswer answer = ParseHead(std::string_view(received_).substr(0, end + 2));
    received_.erase(0, end + 4);
    if (answer.status < 200) continue;
    const size_t length =
        to_head ? 0 : std::strtoull(answer.header("content-length").c_str(), nullptr, 10);
    while (received_.size() < length) {
      if (!Receive()) return std::nullopt;
    }
    answer.body = received_.substr(0, length);
    received_.erase(0, length);
    return answer;
  }
}

std::optional<std::string> RawHttp::ReadTo(std::string_view end) {
  size_t at = 0;
  while ((at = received_.find(end)) == std::string::npos) {
    if (!Receive()) return std::nullopt;
  }
  std::string text = received_.substr(0, at + end.size());
  received_.erase(0, text.size());
  return text;
}

bool RawHttp::ReadsEnd() {
  if (!received_.empty()) return false;
  pollfd in{fd_, POLLIN, 0};
  if (::poll(&in, 1, kPatienceMs) <= 0) return false;
  char byte = 0;
  return ::recv(fd_, &byte, 1, 0) <= 0;
}

void RawHttp::EndSending() {
  ::shutdown(fd_, SHUT_WR);
}

std::optional<HttpAnswer> RawHttp::Call(std::string_view method, std::string_view path,
                                        std::string_view body, std::string_view headers) {
  if (!SendRequest(method, path, body, headers)) return std::nullopt;
  return ReadAnswer();
}

}  // namespace outrigger::testing
