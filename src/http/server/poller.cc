#include "http/server/poller.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "http/server/workers.h"

namespace outrigger::http {
namespace {

constexpr uint64_t kWakeNumber = 0;
constexpr uint64_t kListenerNumber = 1;  // connections are numbered from 2
constexpr int kEventsAtOnce = 128;

bool Register(int epoll, int fd, uint32_t events, uint64_t number) {
  epoll_event event{.events = events, .data = {.u64 = number}};
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

uint32_t EventsOf(Connection::Next awaited) {
  switch (awaited) {
    case Connection::Next::kWrite:
      return EPOLLOUT;
    case Connection::Next::kStream:
      return EPOLLRDHUP;  // what the peer sends meanwhile waits
    default:
      return EPOLLIN;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Poller>> Poller::Create() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.valid() || !wake.valid() || !Register(epoll.get(), wake.get(), EPOLLIN, kWakeNumber)) {
    return absl::ResourceExhaustedError("no file descriptors left for the server's events");
  }
  return std::unique_ptr<Poller>(new Poller(std::move(epoll), std::move(wake)));
}

Poller::~Poller() {
  Stop();
}

void Poller::Start(const Fd& listener, std::chrono::milliseconds tick, Callbacks callbacks) {
  tick_ = std::max(tick, std::chrono::milliseconds(1));
  callbacks_ = std::move(callbacks);
  Register(epoll_.get(), listener.get(), EPOLLIN, kListenerNumber);
  thread_ = std::thread([this] {
    AskForShortTurns();
    Loop();
  });
}

void Poller::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  Wake();
  if (thread_.joinable()) thread_.join();
}

void Poller::Wake() const {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then the event is raised anyway.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
}

bool Poller::Add(const Held& connection) {
  const MutexLock lock(mutex_);
  // Without events, and once: Arm() says what is waited for.
  if (!Register(epoll_.get(), connection->socket(), EPOLLONESHOT, connection->number())) {
    return false;
  }
  entries_[connection->number()].connection = connection;
  return true;
}

void Poller::Remove(const Connection& connection) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(connection.number());
  if (found == entries_.end()) return;
  Unpark(found->second);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.socket(), nullptr);
  entries_.erase(found);
}

void Poller::Arm(const Connection& connection, uint32_t events) const {
  epoll_event event{.events = events | EPOLLONESHOT, .data = {.u64 = connection.number()}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.socket(), &event);
}

void Poller::Park(const Held& connection, Connection::Next awaited) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(connection->number());
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.mode = Mode::kParked;
  entry.idle = connection->idle();
  entry.deadline = connection->deadline();
  if (awaited != Connection::Next::kStream) {
    (entry.idle ? idle_deadlines_ : busy_deadlines_).emplace(entry.deadline, connection->number());
  }
  Arm(*connection, EventsOf(awaited));
  if (std::exchange(entry.nudged, false)) nudged_.push_back(connection->number());
  if (entry.deadline < wakes_at_ || !nudged_.empty()) Wake();
}

void Poller::Nudge(uint64_t number) {
  const MutexLock lock(mutex_);
  nudged_.push_back(number);
  if (nudged_.size() == 1) Wake();
}

void Poller::Watch(const Held& connection) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(connection->number());
  if (found == entries_.end()) return;
  found->second.mode = Mode::kWatched;
  Arm(*connection, EPOLLRDHUP);
}

void Poller::Unwatch(const Connection& connection) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(connection.number());
  if (found != entries_.end()) found->second.mode = Mode::kOwned;
}

/// Gives the connection to whoever asks; it is not parked any more.
Poller::Held Poller::Unpark(Entry& entry) {
  if (entry.mode == Mode::kParked) {
    (entry.idle ? idle_deadlines_ : busy_deadlines_)
        .erase({entry.deadline, entry.connection->number()});
  }
  entry.mode = Mode::kOwned;
  return entry.connection;
}

bool Poller::Take(const Connection& connection) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(connection.number());
  if (found == entries_.end() || found->second.mode != Mode::kParked) return false;
  Unpark(found->second);
  return true;
}

Poller::Held Poller::TakeOne() {
  const MutexLock lock(mutex_);
  for (const auto* deadlines : {&idle_deadlines_, &busy_deadlines_}) {
    if (!deadlines->empty()) return Unpark(entries_.at(deadlines->begin()->second));
  }
  return nullptr;
}

std::vector<Poller::Held> Poller::TakeIdle() {
  const MutexLock lock(mutex_);
  std::vector<Held> taken;
  while (!idle_deadlines_.empty()) {
    taken.push_back(Unpark(entries_.at(idle_deadlines_.begin()->second)));
  }
  return taken;
}

std::vector<Poller::Held> Poller::All() const {
  const MutexLock lock(mutex_);
  std::vector<Held> all;
  all.reserve(entries_.size());
  for (const auto& [number, entry] : entries_) all.push_back(entry.connection);
  return all;
}

int Poller::TimeoutMs(Clock::time_point next_tick) {
  wakes_at_ = next_tick;
  for (const auto* deadlines : {&idle_deadlines_, &busy_deadlines_}) {
    if (!deadlines->empty()) wakes_at_ = std::min(wakes_at_, deadlines->begin()->first);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(wakes_at_ - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

void Poller::CollectNudged(std::vector<Held>* ready) {
  for (const uint64_t number : nudged_) {
    const auto found = entries_.find(number);
    if (found == entries_.end()) continue;
    if (found->second.mode == Mode::kParked) {
      ready->push_back(Unpark(found->second));
    } else {
      found->second.nudged = true;
    }
  }
  nudged_.clear();
}

void Poller::CollectExpired(Clock::time_point now, std::vector<Held>* ready) {
  for (auto* deadlines : {&idle_deadlines_, &busy_deadlines_}) {
    while (!deadlines->empty() && deadlines->begin()->first <= now) {
      ready->push_back(Unpark(entries_.at(deadlines->begin()->second)));
    }
  }
}

void Poller::OnEvent(uint64_t number, std::vector<Held>* ready, std::vector<Held>* gone) {
  const auto found = entries_.find(number);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  // An event that was on its way when somebody took the connection means nothing any more.
  if (entry.mode == Mode::kParked) {
    ready->push_back(Unpark(entry));
  } else if (entry.mode == Mode::kWatched) {
    gone->push_back(entry.connection);
  }
}

void Poller::Loop() {
  Clock::time_point next_tick = Clock::now() + tick_;
  std::array<epoll_event, kEventsAtOnce> events{};
  std::vector<Held> ready;
  std::vector<Held> gone;
  for (;;) {
    int timeout = 0;
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
      timeout = TimeoutMs(next_tick);
    }
    const int count = ::epoll_wait(epoll_.get(), events.data(), kEventsAtOnce, timeout);
    bool acceptable = false;
    {
      const MutexLock lock(mutex_);
      for (int i = 0; i < count; ++i) {
        const uint64_t number = events[static_cast<size_t>(i)].data.u64;
        if (number == kWakeNumber) {
          uint64_t raised = 0;
          [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &raised, sizeof(raised));
        } else if (number == kListenerNumber) {
          acceptable = true;
        } else {
          OnEvent(number, &ready, &gone);
        }
      }
      CollectNudged(&ready);
      CollectExpired(Clock::now(), &ready);
    }
    for (Held& connection : ready) callbacks_.ready(std::move(connection));
    for (const Held& connection : gone) connection->Abandon();
    ready.clear();
    gone.clear();
    if (acceptable) callbacks_.acceptable();
    if (Clock::now() >= next_tick) {
      callbacks_.now_and_then();
      next_tick = Clock::now() + tick_;
    }
  }
}

}  // namespace outrigger::http
