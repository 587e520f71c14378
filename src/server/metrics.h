#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "engine/observer.h"
#include "http/server.h"

namespace outrigger::server {

/// The Prometheus metrics of the process; docs/metrics.md lists them. Thread-safe. Counting a call
/// takes no lock of its own. Label values are bounded: what exceeds a cap counts as "other".
class Metrics : public engine::Observer {
 public:
  static std::unique_ptr<Metrics> Create();

  /// Makes the series of these endpoints, at 0: a rate over a series that only appears with its
  /// first error misses that error.
  virtual void Declare(std::span<const engine::Endpoint> endpoints) = 0;

  /// Shows the figures of a listener under the label `listener`. `stats` is called by Render();
  /// null takes the listener out, and when that returns `stats` is called no more.
  virtual void Watch(std::string_view listener, std::function<http::ServerStats()> stats) = 0;

  /// The text exposition format 0.0.4, process figures included.
  virtual std::string Render() const = 0;
};

}  // namespace outrigger::server
