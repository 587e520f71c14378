#include "serve/server/admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "codec/page/page.h"
#include "fmt/format.h"
#include "http/server.h"
#include "outrigger/base/text.h"
#include "serve/engine/engine.h"
#include "serve/server/answers.h"
#include "serve/server/ui.h"

namespace outrigger::server {
namespace {

using std::chrono::milliseconds;

// Answers engine.pages()[page] as JSON: 503 if the page is not ready, 500 for another error.
void AnswerPage(const engine::Engine& engine, size_t page, http::Response* response) {
  absl::StatusOr<PageTable> table = engine.ReadPage(page, page::kMaxRows);
  if (!table.ok()) {
    return AnswerError(absl::IsUnavailable(table.status()) ? 503 : 500,
                       std::string(table.status().message()), response);
  }
  const engine::OfferedPage& offered = engine.pages()[page];
  page::Encode({.agent = offered.agent, .name = offered.spec.name, .table = *std::move(table)},
               page::kMaxBytes, &response->body);
}

constexpr std::string_view kPaths =
    "/ (for browsers), /livez, /readyz, /readyz?verbose, /metrics, /history, /version, /pages";

// Also for paths that do not exist: peers from outside do not learn which pages there are.
constexpr std::string_view kLoopbackOnly =
    "served on loopback only: use kubectl port-forward to this port, or kubectl exec, and call "
    "127.0.0.1";

bool IsLoopback(std::string_view peer) {
  // The third is how an IPv4 peer looks on a socket that takes both families.
  return peer.starts_with("127.") || peer == "::1" || peer.starts_with("::ffff:127.");
}

bool HasParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    if (parameter.substr(0, parameter.find('=')) == name) return true;
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
  }
  return false;
}

// DNS rebinding needs a name. Proxies on this machine that pass on probes keep the pod's address.
bool MayBeWebPage(const http::Request& request) {
  const std::string_view host = request.Header("Host");
  const bool is_address =
      host.starts_with('[') || host.find_first_not_of("0123456789.:") == std::string_view::npos;
  return !is_address || !request.Header("Origin").empty();
}

void AnswerText(int status, std::string_view text, http::Response* response) {
  response->status = status;
  response->content_type = "text/plain; charset=utf-8";
  response->body = text;
}

// Never empty: that would be a check that passed.
std::string WhyNot(const absl::Status& status) {
  return std::string(status.message().empty() ? "not ready" : status.message());
}

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
         in_flight, streams, body_bytes] = *sum;
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
  streams += more.streams;
  body_bytes += more.body_bytes;
}

}  // namespace

void AdminRoutes::Handle(const http::Request& request, http::Response* response) const {
  if (!IsGetOrHead(request)) return AnswerWrongMethod(request, "GET, HEAD", response);
  const bool verbose = HasParameter(request.query, "verbose");
  const bool local = IsLoopback(request.peer);
  // Browsers get here on loopback only: kubectl port-forward.
  const std::string fault = local ? http::ForeignPageFault(request) : "";
  if (!fault.empty() && MayBeWebPage(request)) return AnswerError(403, fault, response);
  if (request.path == "/livez") return AnswerLive(local, response);
  if (request.path == "/readyz" && !verbose) return AnswerReady(response);

  if (request.path == "/metrics" && (local || metrics_from_anywhere_)) {
    response->content_type = "text/plain; version=0.0.4; charset=utf-8";
    response->body = metrics_.Render();
    return;
  }
  if (!local) return AnswerError(403, kLoopbackOnly, response);
  if (!fault.empty()) return AnswerError(403, fault, response);
  if (request.path == "/readyz") return AnswerReadyVerbose(response);
  if (request.path == "/version") return AnswerVersion(response);
  if (request.path == "/history") {
    response->body = history_.Json();
    return;
  }
  if (request.path == "/pages") return AnswerPageList(response);
  if (!AnswerUi(request.path, response)) AnswerOther(request, response);
}

void AdminRoutes::AnswerPageList(http::Response* response) const {
  PageTable table({{"page"}, {"agent"}, {"help"}}, page::kMaxRows);
  for (const engine::OfferedPage& page : Pages()) {
    table.Add({page.spec.name, page.agent, page.spec.help});
  }
  page::Encode({.agent = "", .name = "pages", .table = std::move(table)}, page::kMaxBytes,
               &response->body);
}

std::span<const engine::OfferedPage> AdminRoutes::Pages() const {
  if (engine_ == nullptr) return {};
  return engine_->pages();
}

std::optional<size_t> AdminRoutes::FindPage(std::string_view path) const {
  if (!path.starts_with('/')) return std::nullopt;
  path.remove_prefix(1);
  const std::span<const engine::OfferedPage> pages = Pages();
  for (size_t i = 0; i < pages.size(); ++i) {
    if (pages[i].spec.name == path) return i;
  }
  return std::nullopt;
}

void AdminRoutes::AnswerOther(const http::Request& request, http::Response* response) const {
  if (const auto page = FindPage(request.path)) return AnswerPage(*engine_, *page, response);
  std::string served(kPaths);
  for (const engine::OfferedPage& page : Pages()) {
    served += fmt::format(", /{} (of agent {}: {})", page.spec.name, page.agent, page.spec.help);
  }
  AnswerError(
      404, fmt::format("no such path: {}; served: {}", Shortened(request.path, kMaxQuoted), served),
      response);
}

std::vector<Check> AdminRoutes::RunChecks() const {
  const Readiness readiness = readiness_;
  std::vector<Check> checks = {
      {"listener", ""},
      {"started", readiness == Readiness::kStarting ? "starting" : ""},
      {"not-draining", readiness == Readiness::kDraining ? "draining" : ""}};
  if (checks_) {
    for (Check& check : checks_()) checks.push_back(std::move(check));
  }
  if (engine_ == nullptr) return checks;
  for (const engine::AgentReadiness& agent : engine_->Readiness()) {
    const std::string why_not = agent.ready.ok() ? "" : WhyNot(agent.ready);
    checks.push_back({fmt::format("agent-{}", agent.agent), why_not});
  }
  return checks;
}

/// Peers from outside get no text of an agent.
void AdminRoutes::AnswerLive(bool local, http::Response* response) const {
  const absl::Status live = engine_ == nullptr ? absl::OkStatus() : engine_->Live();
  if (live.ok()) return AnswerText(200, "ok", response);
  AnswerText(503, local ? fmt::format("not live: {}", std::string(live.message())) : "not live",
             response);
}

/// Peers from outside get names of checks: why one fails may quote what others said.
void AdminRoutes::AnswerReady(http::Response* response) const {
  for (const Check& check : RunChecks()) {
    if (check.why_not.empty()) continue;
    const bool own = check.name == "started" || check.name == "not-draining";
    return AnswerText(503, fmt::format("not ready: {}", own ? check.why_not : check.name),
                      response);
  }
  AnswerText(200, "ok", response);
}

void AdminRoutes::AnswerReadyVerbose(http::Response* response) const {
  std::string text;
  bool ready = true;
  for (const Check& check : RunChecks()) {
    const bool passed = check.why_not.empty();
    text += passed ? fmt::format("[+]{} ok\n", check.name)
                   : fmt::format("[-]{} failed: {}\n", check.name, check.why_not);
    ready = ready && passed;
  }
  AnswerText(ready ? 200 : 503, text + (ready ? "readyz check passed\n" : "readyz check failed\n"),
             response);
}

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

AdminService::AdminService(const AdminOptions& options, Metrics& metrics)
    : metrics_(metrics),
      routes_(nullptr, metrics, readiness_, options.checks, options.metrics_from_anywhere),
      listeners_(&routes_) {}

absl::StatusOr<std::unique_ptr<AdminService>> AdminService::Start(const AdminOptions& options,
                                                                  Metrics& metrics) {
  std::unique_ptr<AdminService> service(new AdminService(options, metrics));
  const absl::Status status = service->listeners_.Start(options.bind, options.port);
  if (!status.ok()) {
    return absl::Status(status.code(), fmt::format("admin: {}", std::string(status.message())));
  }
  metrics.Watch("admin", [listeners = &service->listeners_] { return listeners->stats(); });
  return service;
}

AdminService::~AdminService() {
  metrics_.Watch("admin", nullptr);
  listeners_.Drain(std::chrono::milliseconds{1000});
}

}  // namespace outrigger::server
