#include "wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace outrigger::bench {
namespace {

constexpr size_t kMaxHead = 4096;

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}

// Reads into `to` until `size` bytes are there.
bool ReceiveAll(int socket, char* to, size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

// The value of Content-Length in `head`; false if there is none.
bool ContentLength(std::string_view head, size_t* length) {
  constexpr std::string_view kField = "\r\nContent-Length: ";
  const size_t at = head.find(kField);
  if (at == std::string_view::npos) return false;
  const char* const digits = head.data() + at + kField.size();
  return std::from_chars(digits, head.data() + head.size(), *length).ec == std::errc();
}

std::string_view PathOf(std::string_view head) {
  const size_t begin = head.find(' ') + 1;
  return head.substr(begin, head.find(' ', begin) - begin);
}

}  // namespace

void BodyBuffer::Resize(size_t size) {
  size_ = size;
  if (size + simdjson::SIMDJSON_PADDING <= capacity_) return;
  data_.reset();  // first: two bodies at once would be memory that nobody needs
  capacity_ = size + simdjson::SIMDJSON_PADDING;
  data_ = std::make_unique_for_overwrite<char[]>(capacity_);
}

int Listen(int* port) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener, 64) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    Die("listening on 127.0.0.1");
  }
  *port = ntohs(address.sin_port);
  return listener;
}

bool Receive(int socket, std::string* path, BodyBuffer* body) {
  std::array<char, kMaxHead> start;  // head, and the part of the body that came with it
  size_t received = 0;
  size_t head_end = std::string_view::npos;
  while (head_end == std::string_view::npos) {
    const ssize_t got = recv(socket, start.data() + received, start.size() - received, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    received += static_cast<size_t>(got);
    head_end = std::string_view(start.data(), received).find("\r\n\r\n");
  }
  const std::string_view head(start.data(), head_end + 4);
  size_t length = 0;
  const size_t early = received - head.size();
  if (!ContentLength(head, &length) || early > length) return false;
  *path = PathOf(head);
  body->Resize(length);
  std::memcpy(body->data(), start.data() + head.size(), early);
  return ReceiveAll(socket, body->data() + early, length - early);
}

bool Send(int socket, std::string_view body) {
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
  head += std::to_string(body.size()) + "\r\n\r\n";
  std::array<iovec, 2> parts{iovec{head.data(), head.size()},
                             iovec{const_cast<char*>(body.data()), body.size()}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    const ssize_t wrote = writev(socket, parts.data(), static_cast<int>(parts.size()));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    auto left = static_cast<size_t>(wrote);
    for (iovec& part : parts) {
      const size_t of_part = std::min(left, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + of_part;
      part.iov_len -= of_part;
      left -= of_part;
    }
  }
  return true;
}

}  // namespace outrigger::bench
