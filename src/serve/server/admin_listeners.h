#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "http/server.h"
#include "serve/server/admin_routes.h"

namespace outrigger::server {

/// Connections of the admin listener at each of its addresses, at most.
inline constexpr size_t kAdminConnections = 256;

/// Answers AdminRoutes at several addresses, all with one port. Thread-safe but for Start().
class AdminListeners {
 public:
  /// `routes` outlives this.
  explicit AdminListeners(const AdminRoutes* routes) : routes_(*routes) {}

  /// Listens at each address, or at none. Port 0: any that is free at each of them. Errors are
  /// those of http::Server::Start(). To be called once.
  absl::Status Start(const std::vector<std::string>& addresses, uint16_t port);

  uint16_t port() const { return listeners_.front()->port(); }
  /// The sum over all addresses.
  http::ServerStats stats() const;
  /// Takes a second at most.
  void Drain(std::chrono::milliseconds patience);

 private:
  absl::Status Try(const std::vector<std::string>& addresses, uint16_t port);

  const AdminRoutes& routes_;
  std::vector<std::unique_ptr<http::Server>> listeners_;  // one for each address
};

}  // namespace outrigger::server
