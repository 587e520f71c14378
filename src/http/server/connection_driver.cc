#include "http/server/connection_driver.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "http/answer/answer.h"

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWorkerIdle{10'000};
// The next bytes of a body are usually on their way: a worker waits so long before it hands the
// connection to the poller.
constexpr milliseconds kByteGap{5};
// Of the connections of calls that may block, so many stay for the next ones. Go's client keeps
// two; whoever closes the rest has the closed ports in TIME_WAIT, and that should be us.
constexpr size_t kKeptIdle = 2;

}  // namespace

ConnectionDriver::ConnectionDriver(Handler handler, Shared& shared, Poller& poller)
    : handler_(std::move(handler)),
      shared_(shared),
      poller_(poller),
      workers_(std::max<size_t>(shared.options.max_workers, 1), kWorkerIdle),
      blockers_(std::max<size_t>(shared.options.max_blocked, 1), kWorkerIdle) {}

void ConnectionDriver::Count(ServerStats* stats) const {
  stats->connections = connections();
  stats->workers = workers_.size();
  stats->blocked = blocked_;
  stats->in_flight = in_flight_;
}

size_t ConnectionDriver::connections() const {
  const MutexLock lock(mutex_);
  return connections_;
}

bool ConnectionDriver::Adopt(const Held& connection) {
  connection->SetNudge([this, number = connection->number()] { poller_.Nudge(number); });
  if (!poller_.Add(connection)) return false;
  const MutexLock lock(mutex_);
  ++connections_;
  return true;
}

void ConnectionDriver::Park(const Held& connection, Connection::Next awaited, bool knew_of_drain) {
  poller_.Park(connection, awaited);
  if (!knew_of_drain && shared_.draining && poller_.Take(*connection)) Resume(connection);
}

void ConnectionDriver::Resume(Held connection) {
  workers_.Run([this, held = std::move(connection)] { Drive(held); });
}

void ConnectionDriver::Drive(const Held& connection) {
  for (;;) {
    const bool draining = shared_.draining;
    const Connection::Next next = connection->Advance(Clock::now());
    switch (next) {
      case Connection::Next::kRead:
        if (AwaitSoon(*connection, POLLIN)) continue;
        return Park(connection, next, draining);
      case Connection::Next::kWrite:
        if (AwaitSoon(*connection, POLLOUT)) continue;
        return Park(connection, next, draining);
      case Connection::Next::kStream:
        return Park(connection, next, draining);
      case Connection::Next::kCall:
        if (Dispatch(connection)) continue;
        return;
      case Connection::Next::kClose:
        return Close(connection);
    }
  }
}

bool ConnectionDriver::AwaitSoon(const Connection& connection, short events) {
  if (!connection.moving()) return false;
  pollfd wanted{connection.socket(), events, 0};
  return ::poll(&wanted, 1, static_cast<int>(kByteGap.count())) > 0;
}

/// Lets the request be answered; false if that happens on another thread.
bool ConnectionDriver::Dispatch(const Held& connection) {
  const RequestHead& head = connection->head();
  const ServerOptions& options = shared_.options;
  if (!options.may_block || !options.may_block(head.method, head.path)) {
    Call(connection, false);
    return true;
  }
  if (++blocked_ > options.max_blocked) {
    --blocked_;
    ++shared_.refused;
    connection->SetAnswer(shared_.Refusal(503, "too many calls wait already; try again"), false);
    return true;
  }
  blockers_.Run([this, connection] {
    Call(connection, true);
    --blocked_;
    Resume(connection);
  });
  return false;
}

void ConnectionDriver::Call(const Held& connection, bool may_block) {
  ++in_flight_;
  if (connection->TakeKept()) --kept_;
  const Request request = connection->BeginCall();
  poller_.Watch(connection);
  Response response = Handle(request);
  poller_.Unwatch(*connection);
  connection->EndCall();
  connection->SetAnswer(std::move(response), may_block && !Keep(*connection));
  --in_flight_;
}

/// Decides, in the order of the answers, which connections of calls that may block stay.
bool ConnectionDriver::Keep(Connection& connection) {
  if (++kept_ > kKeptIdle) {
    --kept_;
    return false;
  }
  connection.SetKept();
  return true;
}

Response ConnectionDriver::Handle(const Request& request) {
  Response response;
  try {
    response.body = shared_.answers.Take(0);
    handler_(request, &response);
    if (HeadersAreSendable(response)) return response;
  } catch (...) {
    // What went wrong may hold anything, so it does not go out.
  }
  if (response.stream != nullptr) response.stream->Close();
  return shared_.Refusal(500, "internal error");
}

void ConnectionDriver::Close(const Held& connection) {
  if (connection->TakeKept()) --kept_;
  connection->EndStream();
  poller_.Remove(*connection);
  const MutexLock lock(mutex_);
  --connections_;
  connection_ended_.notify_all();
}

void ConnectionDriver::AwaitNoConnections(Clock::time_point deadline) {
  MutexLock lock(mutex_);
  connection_ended_.wait_until(
      lock, deadline, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return connections_ == 0; });
}

void ConnectionDriver::Finish() {
  blockers_.Finish();
  workers_.Finish();
}

}  // namespace outrigger::http
