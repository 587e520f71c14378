#include "http/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "http/codec.h"
#include "http/connection.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "http/workers.h"

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kWorkerIdle{10'000};
constexpr milliseconds kTrimEvery{30'000};
// Who connects while we drain means to send something; this long it may take to begin.
constexpr milliseconds kDrainGrace{200};
constexpr int kAcceptAtOnce = 64;
constexpr int kAcceptAtEnd = 4096;

class ServerImpl final : public Server {
 public:
  ServerImpl(const ServerOptions& options, Handler handler, Fd listener, Fd drain, Fd stop)
      : options_(options),
        shared_(std::move(handler), options.max_body),
        listener_(std::move(listener)),
        drain_event_(std::move(drain)),
        stop_event_(std::move(stop)),
        port_(PortOf(listener_)),
        workers_(std::max<size_t>(options.max_workers, 1), kWorkerIdle),
        acceptor_([this] { AcceptLoop(); }) {}
  ~ServerImpl() override { Drain(milliseconds{0}); }

  uint16_t port() const override { return port_; }
  ServerStats stats() const override;
  void Drain(milliseconds patience) override;

 private:
  void AcceptLoop();
  void Accept(int at_most);
  void Serve(Fd socket);
  void ServeRequests(Connection& connection);
  bool AwaitRequest(Connection& connection, bool fresh) const;
  bool Enter(Connection* connection);
  void Leave(Connection* connection);
  void AwaitNoConnections(Clock::time_point deadline);
  void CutOff();

  const ServerOptions options_;
  Shared shared_;
  Codec codec_;
  Fd listener_;           // the acceptor's
  const Fd drain_event_;  // readable for good once Drain() began
  const Fd stop_event_;   // the same for the acceptor
  const uint16_t port_;
  std::atomic<uint64_t> accepted_{0};

  std::mutex drain_mutex_;  // one Drain() at a time
  bool drained_ = false;

  std::mutex mutex_;
  std::condition_variable connection_ended_;
  size_t connections_ = 0;  // accepted and not ended; those that wait for a worker too
  absl::flat_hash_set<Connection*> open_;
  bool cut_off_ = false;

  Workers workers_;
  std::thread acceptor_;  // last: it uses all of the above
};

void Raise(const Fd& event) {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then the event is raised anyway.
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof(one));
}

ServerStats ServerImpl::stats() const {
  return {.connections_accepted = accepted_,
          .requests_refused = shared_.refused,
          .workers = workers_.size(),
          .in_flight = shared_.in_flight};
}

void ServerImpl::AcceptLoop() {
  for (;;) {
    std::array<pollfd, 2> fds{{{listener_.get(), POLLIN, 0}, {stop_event_.get(), POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(kTrimEvery.count()));
    if (ready == 0) {
      shared_.bodies.Trim();
      shared_.answers.Trim();
    }
    if (ready <= 0) continue;
    if (fds[1].revents != 0) break;
    Accept(kAcceptAtOnce);
  }
  // Closing the listener resets who waits in its queue.
  Accept(kAcceptAtEnd);
  listener_.Close();
}

void ServerImpl::Accept(int at_most) {
  for (int i = 0; i < at_most; ++i) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // The listener stays readable: wait for descriptors to come back, do not spin.
        pollfd stop{stop_event_.get(), POLLIN, 0};
        ::poll(&stop, 1, 10);
        return;
      }
      continue;  // the one connection is lost (ECONNABORTED and its like), not the listener
    }
    ++accepted_;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++connections_;
    }
    workers_.Run([this, fd] { Serve(Fd(fd)); });
  }
}

void ServerImpl::Serve(Fd socket) {
  {
    Connection connection(std::move(socket), options_.io_timeout);
    if (Enter(&connection)) {
      try {
        ServeRequests(connection);
      } catch (...) {
        // Out of memory, most likely: this connection ends, the others go on.
      }
    }
    Leave(&connection);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  --connections_;
  connection_ended_.notify_all();
}

void ServerImpl::ServeRequests(Connection& connection) {
  for (bool fresh = true; AwaitRequest(connection, fresh); fresh = false) {
    Exchange exchange(connection, shared_);
    if (!codec_.Run(connection, exchange)) return;
    if (exchange.unread()) connection.Linger();
    if (exchange.close()) return;
  }
}

bool ServerImpl::AwaitRequest(Connection& connection, bool fresh) const {
  auto arrival = Connection::Arrival::kWoken;
  if (!shared_.draining) {
    arrival = connection.AwaitBytes(options_.idle_timeout, drain_event_.get());
  }
  if (arrival == Connection::Arrival::kWoken) {
    arrival = connection.AwaitBytes(fresh ? kDrainGrace : milliseconds{0}, -1);
  }
  return arrival == Connection::Arrival::kBytes;
}

bool ServerImpl::Enter(Connection* connection) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!cut_off_) open_.insert(connection);
  return !cut_off_;
}

void ServerImpl::Leave(Connection* connection) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(connection);
}

void ServerImpl::AwaitNoConnections(Clock::time_point deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  connection_ended_.wait_until(lock, deadline, [this] { return connections_ == 0; });
}

void ServerImpl::CutOff() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cut_off_ = true;
  for (Connection* connection : open_) connection->Abort();
}

void ServerImpl::Drain(milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  const std::lock_guard<std::mutex> one_at_a_time(drain_mutex_);
  if (std::exchange(drained_, true)) return;
  shared_.draining = true;
  Raise(drain_event_);
  AwaitNoConnections(deadline);
  Raise(stop_event_);
  acceptor_.join();
  AwaitNoConnections(deadline);
  CutOff();
  workers_.Finish();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      Handler handler) {
  auto listener = Listen(options.bind, options.port);
  if (!listener.ok()) return listener.status();
  Fd drain(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Fd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!drain.valid() || !stop.valid()) {
    return absl::ResourceExhaustedError("no file descriptors left for the server's events");
  }
  return std::make_unique<ServerImpl>(options, std::move(handler), std::move(*listener),
                                      std::move(drain), std::move(stop));
}

}  // namespace outrigger::http
