#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/fd.h"

namespace outrigger::http {

/// One accepted connection as a guarded stream of bytes: every wait has a limit, and so has the
/// head of a request. Used by one thread; only Abort() may come from another.
class Connection {
 public:
  /// `socket` is non-blocking. `io_timeout`: the longest wait for a byte to come or to be taken.
  Connection(Fd socket, std::chrono::milliseconds io_timeout);

  /// The peer's address without the port, e.g. "127.0.0.1" or "::1"; empty when unknown.
  const std::string& peer() const { return peer_; }

  enum class Arrival { kBytes, kClosed, kTimeout, kWoken };
  /// Waits between two requests. `wake`: a descriptor that ends the wait when it is readable, or
  /// -1.
  Arrival AwaitBytes(std::chrono::milliseconds timeout, int wake);

  /// From here until EndHead(), Read() fails after `limit` bytes.
  void BeginHead(size_t limit);
  void EndHead() { in_head_ = false; }
  bool head_too_large() const { return head_too_large_; }
  bool timed_out() const { return timed_out_; }

  /// At least one byte; 0 at the end of the stream; -1 on error, timeout or a head too large.
  ssize_t Read(char* to, size_t size);
  /// All of `size` bytes, or false.
  bool ReadExactly(char* to, size_t size);

  /// Holds `bytes` back, so that head and body of an answer leave in one packet. A read that has
  /// to wait sends them first.
  void Hold(std::string_view bytes) { held_.append(bytes); }
  /// Sends what is held and `tail` behind it, from where it lies.
  bool Send(std::string_view tail);

  /// Says that nothing more will be sent and discards what the peer still sends, for a bounded
  /// time: closing a socket with unread bytes resets it, and the peer may lose the last answer.
  void Linger();

  /// Cuts the connection off; whoever reads or writes it fails at once.
  void Abort();

 private:
  ssize_t Receive(char* to, size_t size);
  /// 1 when the socket is ready, 2 when only `wake` is, 0 on timeout, -1 on error.
  int Await(short events, std::chrono::milliseconds timeout, int wake);
  size_t buffered() const { return end_ - begin_; }

  const Fd socket_;
  const std::chrono::milliseconds io_timeout_;
  std::string peer_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::string held_;
  bool in_head_ = false;
  size_t head_left_ = 0;
  bool head_too_large_ = false;
  bool timed_out_ = false;
};

}  // namespace outrigger::http
