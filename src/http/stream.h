#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// The body of an answer that has no end yet: its owner writes when there is something, and the
/// server sends it when the peer takes it. No thread is held meanwhile. Put into Response::stream;
/// it may be written to before that, and outlive the server. Thread-safe.
class Stream {
 public:
  using Bytes = std::shared_ptr<const std::string>;
  static constexpr size_t kMaxBacklog = size_t{8} << 20;
  /// What each write counts for beside its bytes.
  static constexpr size_t kPerWrite = 64;

  /// `max_backlog`: bytes that may wait for the peer. A peer that leaves more unread is cut off.
  explicit Stream(size_t max_backlog = kMaxBacklog) : max_backlog_(max_backlog) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // The owner's side.

  /// Appends; never blocks. Nothing happens behind End(), or when closed.
  void Write(std::string bytes) { Write(std::make_shared<const std::string>(std::move(bytes))); }
  /// The same; the bytes may be shared by any number of streams.
  void Write(Bytes bytes);
  /// The body is complete: what waits is sent, and the connection serves the next request.
  void End();
  /// Nobody reads any more: all was sent, the peer has gone or was cut off, or the server ends.
  bool closed() const;
  /// What waits for the peer, in bytes, each write with kPerWrite more.
  size_t backlog() const;
  /// Called once when closed, never inside Write() or End(), on a thread of the server, which it
  /// may not hold up; at once if all is over. Replaces the one before.
  void OnClosed(std::function<void()> callback);

  // The reader's side: the server, or a test.

  enum class State {
    kOpen,    // more may come
    kEnded,   // nothing comes behind what was taken
    kClosed,  // to be cut off
  };
  /// Moves out what waits, at most about `size` bytes. If that is nothing of an open stream, `wake`
  /// is called once there is.
  State Take(size_t size, std::vector<Bytes>* pieces);
  /// Called with the stream's lock held, so it may not touch the stream, on any thread.
  void SetWake(std::function<void()> wake);
  /// Drops what waits, and the wake function.
  void Close();

 private:
  void Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_backlog_;
  mutable Mutex mutex_;
  std::deque<Bytes> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t backlog_ ABSL_GUARDED_BY(mutex_) = 0;
  std::function<void()> wake_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> on_closed_ ABSL_GUARDED_BY(mutex_);
  bool reader_waits_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;  // by Close()
};

}  // namespace outrigger::http
