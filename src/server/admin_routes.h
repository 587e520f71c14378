#pragma once

#include <atomic>

#include "http/server.h"
#include "server/metrics.h"

namespace outrigger::server {

/// Whether calls should be sent here. Thread-safe.
enum class Readiness { kStarting, kReady, kDraining };

/// What the admin listener answers to GET and HEAD. It faces the pod's network, so peers that are
/// not on loopback get fixed texts only: /livez and /readyz; /metrics if that is asked for.
/// Thread-safe.
class AdminRoutes {
 public:
  /// Both outlive this.
  AdminRoutes(const Metrics& metrics, const std::atomic<Readiness>& readiness,
              bool metrics_from_anywhere)
      : metrics_(metrics), readiness_(readiness), metrics_from_anywhere_(metrics_from_anywhere) {}

  void Handle(const http::Request& request, http::Response* response) const;

 private:
  void AnswerReady(http::Response* response) const;
  void AnswerReadyVerbose(http::Response* response) const;

  const Metrics& metrics_;
  const std::atomic<Readiness>& readiness_;
  const bool metrics_from_anywhere_;
};

}  // namespace outrigger::server
