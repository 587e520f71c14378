#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>

#include "http/server.h"
#include "http/server/connection.h"
#include "http/server/poller.h"
#include "http/server/shared.h"
#include "http/server/workers.h"
#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// Drives the connections of a server from one wait to the next and lets their requests be
/// answered: on worker threads, and calls that may block on threads of their own. Who waits is
/// parked in the poller. Thread-safe.
class ConnectionDriver {
 public:
  using Held = Poller::Held;

  /// `shared` and `poller` outlive the driver.
  ConnectionDriver(Handler handler, Shared& shared, Poller& poller);

  /// Makes a new connection known, to be driven or parked next; false without memory for it.
  bool Adopt(const Held& connection);
  /// Drives a connection on a worker thread.
  void Resume(Held connection);
  /// Goes on with a connection until it has to wait, on whatever thread this is.
  void Drive(const Held& connection);
  /// Lets a connection wait for what it has said. A drain closes what is parked and idle;
  /// `knew_of_drain` is what the caller knew of one when it last looked at the connection, which
  /// may have missed it.
  void Park(const Held& connection, Connection::Next awaited, bool knew_of_drain);
  /// Forgets a connection that nobody else drives; its socket closes with its last owner.
  void Close(const Held& connection);

  size_t connections() const;
  /// Returns when no connection is left, or at `deadline`.
  void AwaitNoConnections(Clock::time_point deadline);
  /// Returns when all threads have ended. Nothing may be driven afterwards. Idempotent.
  void Finish();

  /// Fills in the figures that are kept here.
  void Count(ServerStats* stats) const;

 private:
  static bool AwaitSoon(const Connection& connection, short events);
  bool Dispatch(const Held& connection);
  void Call(const Held& connection, bool may_block);
  bool Keep(Connection& connection);
  Response Handle(const Request& request);

  const Handler handler_;
  Shared& shared_;
  Poller& poller_;

  std::atomic<size_t> blocked_{0};
  std::atomic<size_t> in_flight_{0};
  std::atomic<size_t> kept_{0};  // idle, or about to be, after a call that may block

  mutable Mutex mutex_;
  std::condition_variable_any connection_ended_;
  size_t connections_ ABSL_GUARDED_BY(mutex_) = 0;

  Workers workers_;
  Workers blockers_;  // last: the threads of both use all of the above
};

}  // namespace outrigger::http
