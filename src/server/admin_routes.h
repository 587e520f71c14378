#pragma once

#include <atomic>
#include <utility>

#include "http/server.h"
#include "server/metrics.h"
#include "server/readiness.h"

namespace outrigger::server {

/// What the admin listener answers to GET and HEAD. It faces the pod's network, so peers that are
/// not on loopback get fixed texts only: /livez and /readyz; /metrics if that is asked for.
/// Thread-safe.
class AdminRoutes {
 public:
  /// All outlive this; `checks` may be null.
  AdminRoutes(const engine::Engine& engine, const Metrics& metrics,
              const std::atomic<Readiness>& readiness, Checks checks, bool metrics_from_anywhere)
      : engine_(engine),
        metrics_(metrics),
        readiness_(readiness),
        checks_(std::move(checks)),
        metrics_from_anywhere_(metrics_from_anywhere) {}

  void Handle(const http::Request& request, http::Response* response) const;

 private:
  void AnswerLive(bool local, http::Response* response) const;
  void AnswerReady(http::Response* response) const;
  void AnswerReadyVerbose(http::Response* response) const;
  std::vector<Check> RunChecks() const;

  const engine::Engine& engine_;
  const Metrics& metrics_;
  const std::atomic<Readiness>& readiness_;
  const Checks checks_;
  const bool metrics_from_anywhere_;
};

}  // namespace outrigger::server
