#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "http/server.h"
#include "serve/engine/engine.h"
#include "serve/server/admin.h"
#include "serve/server/metrics.h"
#include "serve/server/readiness.h"

// The extender service: two listeners. The first takes the scheduler's calls (where agents take
// calls at all), the second (admin) answers /livez, /readyz, /metrics, /version and pages of
// agents, so that no load of the first can hide the process from its kubelet. The second may have
// several addresses.

namespace outrigger::server {

struct ServiceOptions {
  /// False: no agent takes calls, and the admin listener is the only one.
  bool takes_calls = true;
  /// The extender's listener: address, limits, TLS. may_block, trim and warn are the service's
  /// business.
  http::ServerOptions extender;
  /// Addresses of the admin listener, at least one, all with one port.
  std::vector<std::string> admin_bind = {"127.0.0.1"};
  uint16_t admin_port = 0;  // 0: any that is free at each address
  /// Serve /metrics in clear to peers that are not on loopback.
  bool metrics_from_anywhere = false;
  /// What /readyz asks besides whether the service is up; may be null.
  Checks checks;
};

class Service {
 public:
  virtual ~Service() = default;

  /// Listens on both ports and answers; not ready until SetReady(). `engine` and `metrics` outlive
  /// the service. Errors are those of http::Server::Start(), and name the listener.
  static absl::StatusOr<std::unique_ptr<Service>> Start(const ServiceOptions& options,
                                                        const engine::Engine& engine,
                                                        Metrics& metrics);

  /// The extender's port; 0 without that listener.
  virtual uint16_t port() const = 0;
  virtual uint16_t admin_port() const = 0;

  /// From here on /readyz says 200, if the checks pass.
  virtual void SetReady() = 0;

  /// /readyz fails at once; after `delay` (calls are still taken: a load balancer needs to hear of
  /// it first) the extender port drains for at most `patience`, then the admin port closes.
  virtual void Drain(std::chrono::milliseconds delay, std::chrono::milliseconds patience) = 0;
};

}  // namespace outrigger::server
