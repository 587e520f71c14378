#include "server/service.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "server/admin_routes.h"
#include "server/extender_routes.h"
#include "spdlog/spdlog.h"

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

class ServiceImpl final : public Service {
 public:
  ServiceImpl(const engine::Engine& engine, Metrics& metrics, const ServiceOptions& options)
      : engine_(engine),
        metrics_(metrics),
        extender_routes_(engine),
        admin_routes_(engine, metrics, readiness_, options.checks, options.metrics_from_anywhere) {}
  ~ServiceImpl() override { Drain(milliseconds{0}, milliseconds{0}); }

  absl::Status Listen(const ServiceOptions& options);

  uint16_t port() const override { return extender_->port(); }
  uint16_t admin_port() const override { return admin_.front()->port(); }
  void SetReady() override {
    // A drain that has begun stays.
    Readiness starting = Readiness::kStarting;
    readiness_.compare_exchange_strong(starting, Readiness::kReady);
  }
  void Drain(milliseconds delay, milliseconds patience) override;

 private:
  absl::Status ListenAdmin(const ServiceOptions& options);
  /// Listens at each address of `options`, at one port, or at none.
  absl::Status TryAdmin(const ServiceOptions& options);
  http::ServerStats AdminStats() const;

  const engine::Engine& engine_;
  Metrics& metrics_;
  std::atomic<Readiness> readiness_{Readiness::kStarting};
  const ExtenderRoutes extender_routes_;
  const AdminRoutes admin_routes_;
  std::mutex drain_mutex_;
  bool drained_ = false;
  // Last: their threads use all of the above.
  std::vector<std::unique_ptr<http::Server>> admin_;  // one for each address
  std::unique_ptr<http::Server> extender_;
};

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

/// Says which of the two listeners failed.
absl::Status In(std::string_view listener, const absl::Status& status) {
  return {status.code(), std::string(listener) + ": " + std::string(status.message())};
}

absl::Status ServiceImpl::Listen(const ServiceOptions& options) {
  http::ServerOptions extender_options = options.extender;
  extender_options.may_block = [this](std::string_view method, std::string_view path) {
    return extender_routes_.MayBlock(method, path);
  };
  extender_options.trim = [this] { engine_.Trim(); };
  extender_options.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  auto extender = http::Server::Start(
      extender_options, [this](const http::Request& request, http::Response* response) {
        extender_routes_.Handle(request, response);
      });
  if (!extender.ok()) return In("extender", extender.status());
  extender_ = std::move(*extender);
  const absl::Status admin = ListenAdmin(options);
  if (!admin.ok()) return In("admin", admin);
  metrics_.Watch("extender", [this] { return extender_->stats(); });
  metrics_.Watch("admin", [this] { return AdminStats(); });
  return absl::OkStatus();
}

absl::Status ServiceImpl::ListenAdmin(const ServiceOptions& options) {
  absl::Status status = TryAdmin(options);
  // The port that was free at the first address may be taken at another.
  for (int i = 1; i < kPortTries && options.admin_port == 0 && absl::IsAlreadyExists(status); ++i) {
    status = TryAdmin(options);
  }
  return status;
}

absl::Status ServiceImpl::TryAdmin(const ServiceOptions& options) {
  http::ServerOptions admin_options;
  admin_options.port = options.admin_port;
  admin_options.max_body = kAdminMaxBody;
  admin_options.max_body_memory = kAdminBodyMemory;
  admin_options.max_workers = kAdminWorkers;
  admin_options.may_block = [this](std::string_view, std::string_view path) {
    return admin_routes_.IsPage(path);
  };
  admin_options.max_blocked = kAdminPages;
  admin_options.max_connections = kAdminConnections;
  const auto handle = [this](const http::Request& request, http::Response* response) {
    admin_routes_.Handle(request, response);
  };
  std::vector<std::unique_ptr<http::Server>> listeners;
  for (const std::string& address : options.admin_bind) {
    admin_options.bind = address;
    auto listener = http::Server::Start(admin_options, handle);
    if (!listener.ok()) return listener.status();
    admin_options.port = (*listener)->port();
    listeners.push_back(*std::move(listener));
  }
  admin_ = std::move(listeners);
  return absl::OkStatus();
}

http::ServerStats ServiceImpl::AdminStats() const {
  http::ServerStats sum;
  for (const auto& listener : admin_) Add(listener->stats(), &sum);
  return sum;
}

void ServiceImpl::Drain(milliseconds delay, milliseconds patience) {
  const std::lock_guard<std::mutex> one_at_a_time(drain_mutex_);
  if (std::exchange(drained_, true)) return;
  readiness_ = Readiness::kDraining;
  std::this_thread::sleep_for(delay);
  if (extender_ != nullptr) extender_->Drain(patience);
  metrics_.Watch("extender", nullptr);
  metrics_.Watch("admin", nullptr);
  for (const auto& listener : admin_) listener->Drain(std::min(patience, kAdminPatience));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Service>> Service::Start(const ServiceOptions& options,
                                                        const engine::Engine& engine,
                                                        Metrics& metrics) {
  metrics.Declare(engine.endpoints());
  auto service = std::make_unique<ServiceImpl>(engine, metrics, options);
  if (const absl::Status status = service->Listen(options); !status.ok()) return status;
  return service;
}

}  // namespace outrigger::server
