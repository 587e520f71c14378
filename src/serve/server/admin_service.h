#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "serve/server/admin_listeners.h"
#include "serve/server/admin_routes.h"
#include "serve/server/metrics.h"
#include "serve/server/readiness.h"

namespace outrigger::server {

struct AdminOptions {
  std::vector<std::string> bind = {"127.0.0.1"};  // at least one address, all with one port
  uint16_t port = 0;                              // 0: any that is free at each address
  bool metrics_from_anywhere = false;
  Checks checks;  // what /readyz asks besides; may be null
};

/// The admin listener of a process without agents: /livez, /readyz, /metrics and /version.
/// Thread-safe.
class AdminService {
 public:
  /// Listens; not ready until SetReady(). `metrics` outlives the service.
  static absl::StatusOr<std::unique_ptr<AdminService>> Start(const AdminOptions& options,
                                                             Metrics& metrics);
  /// Closes the listener.
  ~AdminService();
  AdminService(const AdminService&) = delete;
  AdminService& operator=(const AdminService&) = delete;

  uint16_t port() const { return listeners_.port(); }
  void SetReady() { readiness_ = Readiness::kReady; }
  /// From here on /readyz fails.
  void SetDraining() { readiness_ = Readiness::kDraining; }

 private:
  AdminService(const AdminOptions& options, Metrics& metrics);

  Metrics& metrics_;
  std::atomic<Readiness> readiness_{Readiness::kStarting};
  const AdminRoutes routes_;
  AdminListeners listeners_;  // last: its threads use all of the above
};

}  // namespace outrigger::server
