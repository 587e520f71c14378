#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "http/server.h"
#include "serve/server/history.h"
#include "serve/server/metrics.h"
#include "serve/server/readiness.h"

namespace outrigger::server {

/// What the admin listener answers to GET and HEAD. It faces the pod's network, so peers that are
/// not on loopback get fixed texts only: /livez and /readyz; /metrics if that is asked for. Agents'
/// pages are answered here and on no other listener. Has a thread for /history. Thread-safe.
class AdminRoutes {
 public:
  /// All outlive this. `engine` is null in a process without agents; `checks` may be null.
  AdminRoutes(const engine::Engine* engine, const Metrics& metrics,
              const std::atomic<Readiness>& readiness, Checks checks, bool metrics_from_anywhere)
      : engine_(engine),
        metrics_(metrics),
        readiness_(readiness),
        checks_(std::move(checks)),
        metrics_from_anywhere_(metrics_from_anywhere),
        history_(metrics) {}

  void Handle(const http::Request& request, http::Response* response) const;

  /// True for the path of a page: an agent may take its time over one.
  bool IsPage(std::string_view path) const { return FindPage(path).has_value(); }

 private:
  std::span<const engine::OfferedPage> Pages() const;
  /// Returns the index of the page with that path.
  std::optional<size_t> FindPage(std::string_view path) const;
  /// Answers a path that is not one of the program's own.
  void AnswerOther(const http::Request& request, http::Response* response) const;
  /// GET /pages: what FindPage() finds.
  void AnswerPageList(http::Response* response) const;
  void AnswerLive(bool local, http::Response* response) const;
  void AnswerReady(http::Response* response) const;
  void AnswerReadyVerbose(http::Response* response) const;
  std::vector<Check> RunChecks() const;

  const engine::Engine* const engine_;
  const Metrics& metrics_;
  const std::atomic<Readiness>& readiness_;
  const Checks checks_;
  const bool metrics_from_anywhere_;
  History history_;
};

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

struct AdminOptions {
  std::vector<std::string> bind = {"127.0.0.1"};  // at least one address, all with one port
  uint16_t port = 0;                              // 0: any that is free at each address
  bool metrics_from_anywhere = false;
  Checks checks;  // what /readyz asks besides; may be null
};

/// The admin listener of a process without agents: /livez, /readyz, /metrics, /history and
/// /version.
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
