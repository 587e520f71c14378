#include "server/service.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "server/admin_routes.h"
#include "server/extender_routes.h"

namespace outrigger::server {
namespace {

using std::chrono::milliseconds;

// Probes and scrapes only; kubelet and Prometheus are a handful of connections.
constexpr size_t kAdminWorkers = 64;
constexpr size_t kAdminMaxBody = size_t{64} << 10;
constexpr milliseconds kAdminPatience{1000};

class ServiceImpl final : public Service {
 public:
  ServiceImpl(const engine::Engine& engine, Metrics& metrics, bool metrics_from_anywhere)
      : metrics_(metrics),
        extender_routes_(engine),
        admin_routes_(metrics, readiness_, metrics_from_anywhere) {}
  ~ServiceImpl() override { Drain(milliseconds{0}, milliseconds{0}); }

  absl::Status Listen(const ServiceOptions& options);

  uint16_t port() const override { return extender_->port(); }
  uint16_t admin_port() const override { return admin_->port(); }
  void SetReady() override {
    // A drain that has begun stays.
    Readiness starting = Readiness::kStarting;
    readiness_.compare_exchange_strong(starting, Readiness::kReady);
  }
  void Drain(milliseconds delay, milliseconds patience) override;

 private:
  Metrics& metrics_;
  std::atomic<Readiness> readiness_{Readiness::kStarting};
  const ExtenderRoutes extender_routes_;
  const AdminRoutes admin_routes_;
  std::mutex drain_mutex_;
  bool drained_ = false;
  // Last: their threads use all of the above.
  std::unique_ptr<http::Server> admin_;
  std::unique_ptr<http::Server> extender_;
};

/// Says which of the two listeners failed.
absl::Status In(std::string_view listener, const absl::Status& status) {
  return {status.code(), std::string(listener) + ": " + std::string(status.message())};
}

absl::Status ServiceImpl::Listen(const ServiceOptions& options) {
  auto extender =
      http::Server::Start({.bind = options.bind,
                           .port = options.port,
                           .max_body = options.max_body,
                           .max_workers = options.max_workers},
                          [this](const http::Request& request, http::Response* response) {
                            extender_routes_.Handle(request, response);
                          });
  if (!extender.ok()) return In("extender", extender.status());
  extender_ = std::move(*extender);
  auto admin = http::Server::Start({.bind = options.admin_bind,
                                    .port = options.admin_port,
                                    .max_body = kAdminMaxBody,
                                    .max_workers = kAdminWorkers},
                                   [this](const http::Request& request, http::Response* response) {
                                     admin_routes_.Handle(request, response);
                                   });
  if (!admin.ok()) return In("admin", admin.status());
  admin_ = std::move(*admin);
  metrics_.Watch("extender", [this] { return extender_->stats(); });
  metrics_.Watch("admin", [this] { return admin_->stats(); });
  return absl::OkStatus();
}

void ServiceImpl::Drain(milliseconds delay, milliseconds patience) {
  const std::lock_guard<std::mutex> one_at_a_time(drain_mutex_);
  if (std::exchange(drained_, true)) return;
  readiness_ = Readiness::kDraining;
  std::this_thread::sleep_for(delay);
  if (extender_ != nullptr) extender_->Drain(patience);
  metrics_.Watch("extender", nullptr);
  metrics_.Watch("admin", nullptr);
  if (admin_ != nullptr) admin_->Drain(std::min(patience, kAdminPatience));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Service>> Service::Start(const ServiceOptions& options,
                                                        const engine::Engine& engine,
                                                        Metrics& metrics) {
  metrics.Declare(engine.endpoints());
  auto service = std::make_unique<ServiceImpl>(engine, metrics, options.metrics_from_anywhere);
  if (const absl::Status status = service->Listen(options); !status.ok()) return status;
  return service;
}

}  // namespace outrigger::server
