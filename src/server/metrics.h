#pragma once

#include <memory>
#include <string>

#include "engine/observer.h"

namespace outrigger::server {

/// The Prometheus metrics of the process; docs/metrics.md lists them. Thread-safe.
class Metrics : public engine::Observer {
 public:
  static std::unique_ptr<Metrics> Create();

  /// The text exposition format 0.0.4, process figures included.
  virtual std::string Render() const = 0;
};

}  // namespace outrigger::server
