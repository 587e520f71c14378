#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "http/fd.h"
#include "http/server.h"
#include "http/server/connection_driver.h"
#include "http/server/poller.h"
#include "http/server/shared.h"
#include "http/tls/tls.h"
#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// Takes new connections from the listener and hands them to the driver. Where there are too many,
/// it makes room by closing one that can be spared, or refuses the new one. Thread-safe.
class Acceptor {
 public:
  /// `tls` is null in clear. All references outlive the acceptor.
  Acceptor(Fd listener, std::unique_ptr<TlsContext> tls, Shared& shared, Poller& poller,
           ConnectionDriver& driver);

  /// The listening socket, for the poller to watch; closed by Close().
  const Fd& listener() const { return listener_; }
  uint16_t port() const { return port_; }

  /// Takes connections that wait in the listener's queue; not all of a burst at once.
  void AcceptWaiting();
  /// Takes what waits in the queue, since closing the listener resets that, and closes it.
  void Close();

  /// Fills in the figures that are kept here.
  void Count(ServerStats* stats) const;

 private:
  void Accept(int at_most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AwaitDescriptors();
  void Welcome(Fd socket);
  bool MakeRoom();

  Shared& shared_;
  Poller& poller_;
  ConnectionDriver& driver_;
  const size_t max_connections_;
  const std::unique_ptr<TlsContext> tls_;

  Mutex mutex_;
  Fd listener_ ABSL_GUARDED_BY(mutex_);
  const uint16_t port_;

  std::atomic<uint64_t> last_number_{1};  // the poller keeps the first ones to itself
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> turned_away_{0};
  std::atomic<uint64_t> evicted_{0};
};

/// A listening, non-blocking socket on `address` (an IPv4 or IPv6 literal; no name is looked up)
/// and `port` (0: any free one). Its backlog takes bursts; the port is never shared with another
/// listener. Errors name address and cause: AlreadyExists (somebody listens there),
/// PermissionDenied, InvalidArgument (no such address here).
absl::StatusOr<Fd> Listen(const std::string& address, uint16_t port);

/// The port of a bound socket; 0 if it has none.
uint16_t PortOf(const Fd& socket);

}  // namespace outrigger::http
