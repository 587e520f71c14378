#pragma once

#include "absl/base/thread_annotations.h"
#include "outrigger/base/mutex.h"

namespace outrigger::http_client {

/// The socket of a call, for the thread that ends the call when it takes too long. Holds a
/// descriptor of its own, so what it shuts down is the call's connection even after httplib closed
/// its descriptor. httplib::Client::stop() would wait for a TLS handshake that trickles.
class SocketGuard {
 public:
  SocketGuard() = default;
  ~SocketGuard();
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;

  /// Takes a duplicate of `socket`, in place of the one before.
  void Watch(int socket);
  /// Ends the connection, in both directions.
  void Shutdown();

 private:
  Mutex mutex_;
  int socket_ ABSL_GUARDED_BY(mutex_) = -1;
};

}  // namespace outrigger::http_client
