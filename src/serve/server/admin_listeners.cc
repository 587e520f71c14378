#include "serve/server/admin_listeners.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace outrigger::server {
namespace {

using std::chrono::milliseconds;

// Probes and scrapes only; kubelet and Prometheus are a handful of connections.
constexpr size_t kAdminWorkers = 4;
// Pages under way at once: agents make them, so they do not get the threads of probes.
constexpr size_t kAdminPages = 4;
constexpr size_t kAdminMaxBody = size_t{64} << 10;
constexpr size_t kAdminBodyMemory = size_t{4} << 20;
constexpr milliseconds kAdminPatience{1000};
// How often a free port is looked for that is free at each address.
constexpr int kPortTries = 20;

void Add(const http::ServerStats& more, http::ServerStats* sum) {
  // All fields by position: with another one this does not compile.
  auto& [accepted, refused, evicted, handshakes, requests, abandoned, connections, workers, blocked,
         in_flight, body_bytes] = *sum;
  accepted += more.connections_accepted;
  refused += more.connections_refused;
  evicted += more.connections_evicted;
  handshakes += more.handshakes_failed;
  requests += more.requests_refused;
  abandoned += more.calls_abandoned;
  connections += more.connections;
  workers += more.workers;
  blocked += more.blocked;
  in_flight += more.in_flight;
  body_bytes += more.body_bytes;
}

}  // namespace

absl::Status AdminListeners::Start(const std::vector<std::string>& addresses, uint16_t port) {
  absl::Status status = Try(addresses, port);
  // The port that was free at the first address may be taken at another.
  for (int i = 1; i < kPortTries && port == 0 && absl::IsAlreadyExists(status); ++i) {
    status = Try(addresses, port);
  }
  return status;
}

absl::Status AdminListeners::Try(const std::vector<std::string>& addresses, uint16_t port) {
  http::ServerOptions options;
  options.port = port;
  options.max_body = kAdminMaxBody;
  options.max_body_memory = kAdminBodyMemory;
  options.max_workers = kAdminWorkers;
  options.may_block = [this](std::string_view, std::string_view path) {
    return routes_.IsPage(path);
  };
  options.max_blocked = kAdminPages;
  options.max_connections = kAdminConnections;
  const auto handle = [this](const http::Request& request, http::Response* response) {
    routes_.Handle(request, response);
  };
  std::vector<std::unique_ptr<http::Server>> listeners;
  for (const std::string& address : addresses) {
    options.bind = address;
    auto listener = http::Server::Start(options, handle);
    if (!listener.ok()) return listener.status();
    options.port = (*listener)->port();
    listeners.push_back(*std::move(listener));
  }
  listeners_ = std::move(listeners);
  return absl::OkStatus();
}

http::ServerStats AdminListeners::stats() const {
  http::ServerStats sum;
  for (const auto& listener : listeners_) Add(listener->stats(), &sum);
  return sum;
}

void AdminListeners::Drain(milliseconds patience) {
  for (const auto& listener : listeners_) listener->Drain(std::min(patience, kAdminPatience));
}

}  // namespace outrigger::server
