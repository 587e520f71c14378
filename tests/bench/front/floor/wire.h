#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "simdjson.h"

namespace outrigger::bench {

/// Memory for one body at a time, with simdjson's padding behind it. It grows and is never given
/// back: fresh pages cost more than receiving.
class BodyBuffer {
 public:
  /// Makes room for `size` bytes, whose content is then undefined.
  void Resize(size_t size);
  char* data() { return data_.get(); }
  size_t size() const { return size_; }
  simdjson::padded_string_view padded() const {
    return simdjson::padded_string_view(data_.get(), size_, capacity_);
  }

 private:
  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/// Listens on a free port of 127.0.0.1, returns the socket and the port. Exits on failure.
int Listen(int* port);

/// Receives one request whole: its path and its body. Only what the benchmark's clients send is
/// understood: a head of at most 4 KiB with a Content-Length. False if the peer has gone.
bool Receive(int socket, std::string* path, BodyBuffer* body);

/// Sends a 200 with `body`, head and body in one write. False if the peer has gone.
bool Send(int socket, std::string_view body);

}  // namespace outrigger::bench
