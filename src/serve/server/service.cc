#include "serve/server/service.h"

#include <atomic>
#include <thread>
#include <utility>

#include "outrigger/base/mutex.h"
#include "serve/server/admin.h"
#include "serve/server/extender_routes.h"
#include "spdlog/spdlog.h"

namespace outrigger::server {
namespace {

using std::chrono::milliseconds;

class ServiceImpl final : public Service {
 public:
  ServiceImpl(const engine::Engine& engine, Metrics& metrics, const ServiceOptions& options)
      : engine_(engine),
        metrics_(metrics),
        extender_routes_(engine),
        admin_routes_(&engine, metrics, readiness_, options.checks, options.metrics_from_anywhere),
        admin_(&admin_routes_) {}
  ~ServiceImpl() override { Drain(milliseconds{0}, milliseconds{0}); }

  absl::Status Listen(const ServiceOptions& options);
  absl::Status ListenForCalls(const http::ServerOptions& options);

  uint16_t port() const override { return extender_ == nullptr ? 0 : extender_->port(); }
  uint16_t admin_port() const override { return admin_.port(); }
  void SetReady() override {
    // A drain that has begun stays.
    Readiness starting = Readiness::kStarting;
    readiness_.compare_exchange_strong(starting, Readiness::kReady);
  }
  void Drain(milliseconds delay, milliseconds patience) override;

 private:
  const engine::Engine& engine_;
  Metrics& metrics_;
  std::atomic<Readiness> readiness_{Readiness::kStarting};
  const ExtenderRoutes extender_routes_;
  const AdminRoutes admin_routes_;
  Mutex drain_mutex_;
  bool drained_ ABSL_GUARDED_BY(drain_mutex_) = false;
  // Last: their threads use all of the above.
  AdminListeners admin_;
  std::unique_ptr<http::Server> extender_;
};

/// Says which of the two listeners failed.
absl::Status In(std::string_view listener, const absl::Status& status) {
  return {status.code(), std::string(listener) + ": " + std::string(status.message())};
}

absl::Status ServiceImpl::Listen(const ServiceOptions& options) {
  if (options.takes_calls) {
    absl::Status calls = ListenForCalls(options.extender);
    if (!calls.ok()) return In("extender", calls);
  }
  const absl::Status admin = admin_.Start(options.admin_bind, options.admin_port);
  if (!admin.ok()) return In("admin", admin);
  if (options.takes_calls) metrics_.Watch("extender", [this] { return extender_->stats(); });
  metrics_.Watch("admin", [this] { return admin_.stats(); });
  return absl::OkStatus();
}

absl::Status ServiceImpl::ListenForCalls(const http::ServerOptions& options) {
  http::ServerOptions extender_options = options;
  extender_options.may_block = [this](std::string_view method, std::string_view path) {
    return extender_routes_.MayBlock(method, path);
  };
  extender_options.trim = [this] { engine_.Trim(); };
  extender_options.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  auto extender = http::Server::Start(
      extender_options, [this](const http::Request& request, http::Response* response) {
        extender_routes_.Handle(request, response);
      });
  if (!extender.ok()) return extender.status();
  extender_ = std::move(*extender);
  return absl::OkStatus();
}

void ServiceImpl::Drain(milliseconds delay, milliseconds patience) {
  const MutexLock one_at_a_time(drain_mutex_);
  if (std::exchange(drained_, true)) return;
  readiness_ = Readiness::kDraining;
  std::this_thread::sleep_for(delay);
  if (extender_ != nullptr) extender_->Drain(patience);
  metrics_.Watch("extender", nullptr);
  metrics_.Watch("admin", nullptr);
  admin_.Drain(patience);
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
