#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "http/server.h"
#include "serve/server/metrics.h"
#include "serve/server/readiness.h"

namespace outrigger::server {

/// What the admin listener answers to GET and HEAD. It faces the pod's network, so peers that are
/// not on loopback get fixed texts only: /livez and /readyz; /metrics if that is asked for. Agents'
/// pages are answered here and on no other listener. Thread-safe.
class AdminRoutes {
 public:
  /// All outlive this. `engine` is null in a process without agents; `checks` may be null.
  AdminRoutes(const engine::Engine* engine, const Metrics& metrics,
              const std::atomic<Readiness>& readiness, Checks checks, bool metrics_from_anywhere)
      : engine_(engine),
        metrics_(metrics),
        readiness_(readiness),
        checks_(std::move(checks)),
        metrics_from_anywhere_(metrics_from_anywhere) {}

  void Handle(const http::Request& request, http::Response* response) const;

  /// True for the path of a page: an agent may take its time over one.
  bool IsPage(std::string_view path) const { return FindPage(path).has_value(); }

 private:
  std::span<const engine::OfferedPage> Pages() const;
  /// Returns the index of the page with that path.
  std::optional<size_t> FindPage(std::string_view path) const;
  /// Answers a path that is not one of the program's own.
  void AnswerOther(const http::Request& request, http::Response* response) const;
  void AnswerLive(bool local, http::Response* response) const;
  void AnswerReady(http::Response* response) const;
  void AnswerReadyVerbose(http::Response* response) const;
  std::vector<Check> RunChecks() const;

  const engine::Engine* const engine_;
  const Metrics& metrics_;
  const std::atomic<Readiness>& readiness_;
  const Checks checks_;
  const bool metrics_from_anywhere_;
};

}  // namespace outrigger::server
