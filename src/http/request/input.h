#pragma once

#include <cstddef>
#include <string_view>

#include "http/pool.h"
#include "http/request/parser.h"
#include "http/server.h"
#include "http/socket/transport.h"

namespace outrigger::http {

/// The bytes of a connection that have come and that nobody has used yet: heads, and bodies that
/// are small enough to stay with them. Its memory is made when bytes are expected. Not thread-safe.
class Input {
 public:
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  /// Uses the first `bytes` of unread().
  void Skip(size_t bytes) { begin_ += bytes; }

  /// Makes room for what may come next: the parser sees the bytes of a head, or of a line between
  /// chunks, again until it is complete, so there must be room for the longest one.
  void Reserve(const ReaderLimits& limits);
  /// There is no room left to receive into.
  bool full() const { return unread().size() + kBodyPadding >= buffer_.capacity(); }
  /// Receives behind unread(), as much as there is room for: not when full(). Moves unread().
  Moved Receive(Transport& transport);

  /// Whether `bytes` unread ones and kBodyPadding have room where unread() begins.
  bool HasRoomFor(size_t bytes) const {
    return bytes + kBodyPadding <= buffer_.capacity() - begin_;
  }
  /// Receives at most `size` bytes behind unread(), for which HasRoomFor() holds; moves nothing.
  Moved ReceiveInPlace(Transport& transport, size_t size);
  /// The first `length` bytes of unread(), now used and followed by kBodyPadding zero bytes. They
  /// stay until the next Reserve() or Receive(), or Trim().
  char* TakePadded(size_t length);

  /// Gives the memory back if nothing is unread.
  void Trim();

 private:
  Buffer buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace outrigger::http
