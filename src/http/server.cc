#include "http/server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "http/answer.h"
#include "http/connection.h"
#include "http/listener.h"
#include "http/poller.h"
#include "http/tls.h"
#include "http/workers.h"

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using Held = Poller::Held;

constexpr milliseconds kWorkerIdle{10'000};
// The next bytes of a body are usually on their way: a worker waits so long before it hands the
// connection to the poller.
constexpr milliseconds kByteGap{5};
constexpr int kAcceptAtOnce = 64;
constexpr int kAcceptAtEnd = 4096;
// Refused connections that may still be told why; more are closed at once.
constexpr size_t kMostTold = 64;
// Of the connections of calls that may block, so many stay for the next ones. Go's client keeps
// two; whoever closes the rest has the closed ports in TIME_WAIT, and that should be us.
constexpr size_t kKeptIdle = 2;

class ServerImpl final : public Server {
 public:
  ServerImpl(const ServerOptions& options, Handler handler, Fd listener,
             std::unique_ptr<TlsContext> tls, std::unique_ptr<Poller> poller)
      : shared_(options),
        handler_(std::move(handler)),
        max_connections_(MaxConnections(options)),
        listener_(std::move(listener)),
        port_(PortOf(listener_)),
        tls_(std::move(tls)),
        workers_(std::max<size_t>(options.max_workers, 1), kWorkerIdle),
        blockers_(std::max<size_t>(options.max_blocked, 1), kWorkerIdle),
        poller_(std::move(poller)) {
    poller_->Start(listener_, {.ready = [this](Held connection) { Resume(std::move(connection)); },
                               .acceptable = [this] { Accept(kAcceptAtOnce); },
                               .now_and_then = [this] { TrimPools(); }});
  }
  ~ServerImpl() override { Drain(milliseconds{0}); }

  uint16_t port() const override { return port_; }
  ServerStats stats() const override;
  void Drain(milliseconds patience) override;

 private:
  void Accept(int at_most);
  bool AwaitDescriptors();
  void Welcome(Fd socket);
  bool MakeRoom();
  void Resume(Held connection);
  void Park(const Held& connection, bool to_write, bool knew_of_drain);
  void Drive(const Held& connection);
  bool Dispatch(const Held& connection);
  void Call(const Held& connection, bool may_block);
  bool Keep(Connection& connection);
  Response Handle(const Request& request);
  static bool AwaitSoon(const Connection& connection, short events);
  void Close(const Held& connection);
  void TrimPools();
  size_t connections() const;
  void AwaitNoConnections(Clock::time_point deadline);
  void StopListening();
  void CutOff();

  Shared shared_;
  const Handler handler_;
  const size_t max_connections_;
  std::mutex accept_mutex_;
  Fd listener_;  // guarded by accept_mutex_ once the poller runs
  const uint16_t port_;
  const std::unique_ptr<TlsContext> tls_;  // null: in clear

  std::atomic<uint64_t> last_number_{1};  // the poller keeps the first ones to itself
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> turned_away_{0};
  std::atomic<uint64_t> evicted_{0};
  std::atomic<size_t> blocked_{0};
  std::atomic<size_t> in_flight_{0};
  std::atomic<size_t> kept_{0};  // idle, or about to be, after a call that may block

  std::mutex drain_mutex_;  // one Drain() at a time
  bool drained_ = false;

  mutable std::mutex mutex_;
  std::condition_variable connection_ended_;
  size_t connections_ = 0;

  Workers workers_;
  Workers blockers_;
  const std::unique_ptr<Poller> poller_;  // last: its thread uses all of the above
};

ServerStats ServerImpl::stats() const {
  ServerStats stats{.connections_accepted = accepted_,
                    .connections_refused = turned_away_,
                    .connections_evicted = evicted_,
                    .requests_refused = shared_.refused,
                    .calls_abandoned = shared_.abandoned,
                    .workers = workers_.size(),
                    .blocked = blocked_,
                    .in_flight = in_flight_,
                    .body_bytes = shared_.memory.held()};
  stats.connections = connections();
  return stats;
}

size_t ServerImpl::connections() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return connections_;
}

void ServerImpl::TrimPools() {
  shared_.bodies.Trim();
  shared_.answers.Trim();
}

void ServerImpl::Accept(int at_most) {
  const std::lock_guard<std::mutex> lock(accept_mutex_);
  for (int i = 0; i < at_most && listener_.valid(); ++i) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      Welcome(std::move(socket));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      if (!AwaitDescriptors()) return;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    }
    // Else the one connection is lost (ECONNABORTED and its like), not the listener.
  }
}

/// The listener stays readable without descriptors: get one back, or at least do not spin.
bool ServerImpl::AwaitDescriptors() {
  if (MakeRoom()) return true;
  ::poll(nullptr, 0, 10);
  return false;
}

bool ServerImpl::MakeRoom() {
  const Held spared = poller_->TakeOne();
  if (spared == nullptr) return false;
  ++evicted_;
  Close(spared);
  return true;
}

void ServerImpl::Welcome(Fd socket) {
  ++accepted_;
  const size_t open = connections();
  const bool refused = open >= max_connections_ && !MakeRoom();
  if (refused) {
    ++turned_away_;
    // Through TLS a word costs a handshake, which is more than a refused peer gets.
    if (tls_ != nullptr || open >= max_connections_ + kMostTold) return;
  }
  const bool in_clear = tls_ == nullptr;
  auto transport = in_clear ? MakePlainTransport(socket) : tls_->Accept(socket);
  if (transport == nullptr) return;
  const auto connection = std::make_shared<Connection>(
      ++last_number_, std::move(socket), std::move(transport), /*handshake=*/!in_clear, shared_);
  if (!poller_->Add(connection)) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++connections_;
  }
  if (refused) {
    connection->RefuseAll(503, "too many connections");
    // Here, since the workers may all be busy; a fresh socket takes so little at once.
    return Drive(connection);
  }
  // Not to a worker, even if bytes are here already: a flood of silent ones should cost none.
  Park(connection, false, /*knew_of_drain=*/false);
}

/// A drain closes what is parked and idle. One that began since its owner last looked may have
/// missed this connection.
void ServerImpl::Park(const Held& connection, bool to_write, bool knew_of_drain) {
  poller_->Park(connection, to_write);
  if (!knew_of_drain && shared_.draining && poller_->Take(*connection)) Resume(connection);
}

void ServerImpl::Resume(Held connection) {
  workers_.Run([this, held = std::move(connection)] { Drive(held); });
}

/// Goes on with a connection until it has to wait, on whatever thread this is.
void ServerImpl::Drive(const Held& connection) {
  for (;;) {
    const bool draining = shared_.draining;
    switch (connection->Advance(Clock::now())) {
      case Connection::Next::kRead:
        if (AwaitSoon(*connection, POLLIN)) continue;
        return Park(connection, false, draining);
      case Connection::Next::kWrite:
        if (AwaitSoon(*connection, POLLOUT)) continue;
        return Park(connection, true, draining);
      case Connection::Next::kCall:
        if (Dispatch(connection)) continue;
        return;
      case Connection::Next::kClose:
        return Close(connection);
    }
  }
}

bool ServerImpl::AwaitSoon(const Connection& connection, short events) {
  if (!connection.moving()) return false;
  pollfd wanted{connection.socket(), events, 0};
  return ::poll(&wanted, 1, static_cast<int>(kByteGap.count())) > 0;
}

/// Lets the request be answered; false if that happens on another thread.
bool ServerImpl::Dispatch(const Held& connection) {
  const RequestHead& head = connection->head();
  const ServerOptions& options = shared_.options;
  if (!options.may_block || !options.may_block(head.method, head.path)) {
    Call(connection, false);
    return true;
  }
  if (++blocked_ > options.max_blocked) {
    --blocked_;
    ++shared_.refused;
    connection->SetAnswer(Failure(503, "too many calls wait already; try again"), false);
    return true;
  }
  blockers_.Run([this, connection] {
    Call(connection, true);
    --blocked_;
    Resume(connection);
  });
  return false;
}

void ServerImpl::Call(const Held& connection, bool may_block) {
  ++in_flight_;
  if (connection->TakeKept()) --kept_;
  const Request request = connection->BeginCall();
  poller_->Watch(connection);
  Response response = Handle(request);
  poller_->Unwatch(*connection);
  connection->EndCall();
  connection->SetAnswer(std::move(response), may_block && !Keep(*connection));
  --in_flight_;
}

/// Decides, in the order of the answers, which connections of calls that may block stay.
bool ServerImpl::Keep(Connection& connection) {
  if (++kept_ > kKeptIdle) {
    --kept_;
    return false;
  }
  connection.SetKept();
  return true;
}

Response ServerImpl::Handle(const Request& request) {
  Response response;
  try {
    response.body = shared_.answers.Take(0);
    handler_(request, &response);
  } catch (...) {
    // What went wrong may hold anything, so it does not go out.
    response = Failure(500, "internal error");
  }
  return response;
}

void ServerImpl::Close(const Held& connection) {
  if (connection->TakeKept()) --kept_;
  poller_->Remove(*connection);
  const std::lock_guard<std::mutex> lock(mutex_);
  --connections_;
  connection_ended_.notify_all();
}

void ServerImpl::AwaitNoConnections(Clock::time_point deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  connection_ended_.wait_until(lock, deadline, [this] { return connections_ == 0; });
}

/// Takes what waits in the listener's queue, since closing it resets that.
void ServerImpl::StopListening() {
  Accept(kAcceptAtEnd);
  const std::lock_guard<std::mutex> lock(accept_mutex_);
  listener_.Close();
}

void ServerImpl::CutOff() {
  for (const Held& connection : poller_->All()) {
    connection->Abandon();
    connection->Abort();
  }
}

void ServerImpl::Drain(milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  const std::lock_guard<std::mutex> one_at_a_time(drain_mutex_);
  if (std::exchange(drained_, true)) return;
  shared_.draining = true;
  for (Held& idle : poller_->TakeIdle()) Resume(std::move(idle));
  AwaitNoConnections(deadline);
  StopListening();
  AwaitNoConnections(deadline);
  CutOff();
  AwaitNoConnections(Clock::time_point::max());
  poller_->Stop();
  blockers_.Finish();
  workers_.Finish();
}

}  // namespace

size_t MaxConnections(const ServerOptions& options) {
  return std::max(options.max_connections, options.max_blocked + kSpareConnections);
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      Handler handler) {
  std::unique_ptr<TlsContext> tls;
  if (options.tls) {
    auto loaded = TlsContext::Load(*options.tls, options.warn);
    if (!loaded.ok()) return loaded.status();
    tls = *std::move(loaded);
  }
  auto listener = Listen(options.bind, options.port);
  if (!listener.ok()) return listener.status();
  auto poller = Poller::Create();
  if (!poller.ok()) return poller.status();
  return std::make_unique<ServerImpl>(options, std::move(handler), std::move(*listener),
                                      std::move(tls), *std::move(poller));
}

}  // namespace outrigger::http
