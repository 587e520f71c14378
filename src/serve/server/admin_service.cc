#include "serve/server/admin_service.h"

#include <chrono>

#include "fmt/format.h"

namespace outrigger::server {

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
