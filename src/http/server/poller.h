#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "http/fd.h"
#include "http/server/connection.h"
#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// Holds the connections that wait for something, without a thread each: one thread and epoll.
/// Thread-safe but for Start().
class Poller {
 public:
  using Held = std::shared_ptr<Connection>;

  /// What the poller's thread calls; none may block.
  struct Callbacks {
    std::function<void(Held)> ready;     // what it waited for has come, or its deadline has
    std::function<void()> acceptable;    // the listener has connections
    std::function<void()> now_and_then;  // about every `tick`
  };

  static absl::StatusOr<std::unique_ptr<Poller>> Create();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Once. `listener` outlives the poller's thread.
  void Start(const Fd& listener, std::chrono::milliseconds tick, Callbacks callbacks);
  /// Ends the thread; what is parked stays so until TakeAll().
  void Stop();

  /// Makes a connection known; not yet waited for.
  bool Add(const Held& connection);
  void Remove(const Connection& connection);

  /// The connection waits for what it has said, until its deadline, and is then given to `ready`.
  /// Nobody else touches it meanwhile.
  void Park(const Held& connection, Connection::Next awaited);
  /// The connection of this number is given to `ready` as soon as it is parked, which it may be
  /// now. It is no error if there is none.
  void Nudge(uint64_t number);
  /// A call runs: its peer is watched, and Abandon() called when it hangs up. Ends with the next
  /// Park(), Unwatch() or Remove().
  void Watch(const Held& connection);
  void Unwatch(const Connection& connection);

  /// Unparks the connection for the caller; false if it is not parked any more.
  bool Take(const Connection& connection);
  /// Gives the parked connection that can best be spared, an idle one before one that has begun a
  /// request, and the one that has waited longest first; null if none is parked.
  Held TakeOne();
  /// Gives all idle connections.
  std::vector<Held> TakeIdle();

  /// Every connection there is, parked or not.
  std::vector<Held> All() const;

 private:
  enum class Mode { kOwned, kParked, kWatched };
  struct Entry {
    Held connection;
    Mode mode = Mode::kOwned;
    bool idle = false;
    bool nudged = false;  // while it was not parked
    Clock::time_point deadline;
  };
  using Entries = absl::flat_hash_map<uint64_t, Entry>;

  Poller(Fd epoll, Fd wake) : epoll_(std::move(epoll)), wake_(std::move(wake)) {}
  void Loop();
  int TimeoutMs(Clock::time_point next_tick) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnEvent(uint64_t number, std::vector<Held>* ready, std::vector<Held>* gone)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CollectNudged(std::vector<Held>* ready) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CollectExpired(Clock::time_point now, std::vector<Held>* ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Held Unpark(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Arm(const Connection& connection, uint32_t events) const;
  void Wake() const;

  const Fd epoll_;
  const Fd wake_;
  std::chrono::milliseconds tick_{};
  Callbacks callbacks_;

  mutable Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
  // Of connections that are parked in mid-request, and of those that are parked and idle.
  std::set<std::pair<Clock::time_point, uint64_t>> busy_deadlines_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<Clock::time_point, uint64_t>> idle_deadlines_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point wakes_at_ ABSL_GUARDED_BY(mutex_) = Clock::time_point::max();
  std::vector<uint64_t> nudged_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace outrigger::http
