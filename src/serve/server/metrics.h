#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/agent/registry.h"
#include "serve/engine/engine.h"
#include "serve/engine/observer.h"

namespace outrigger::server {

/// How one kind of objects of the API server is followed; counts are since the start.
struct FollowedResource {
  std::string resource;  // "nodes"
  bool synced = false;
  /// How long ago what is known was known to be complete; negative: never.
  double age_seconds = -1;
  size_t objects = 0;
  size_t unreadable = 0;
  uint64_t events = 0;
  uint64_t relists = 0;
  uint64_t watches = 0;
  uint64_t failures = 0;
};

/// What is known of the API server, and written to it for people; counts are since the start.
struct FollowedCluster {
  std::vector<FollowedResource> resources;
  uint64_t events_written = 0;
  uint64_t events_dropped = 0;
};

/// A family of counters or gauges with the values that it has now.
struct ShownFamily {
  struct Series {
    std::vector<std::pair<std::string, std::string>> labels;  // name and value
    double value = 0;
  };
  std::string name;
  std::string help;        // a sentence
  bool is_counter = true;  // else a gauge
  std::vector<Series> series;
};

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

  /// Shows how the API server is followed. `cluster` is called by Render(); null ends that, and
  /// when it returns `cluster` is called no more.
  virtual void Follow(std::function<FollowedCluster()> cluster) = 0;

  /// Shows these families, too. `families` is called by Render(); null ends that, and when it
  /// returns `families` is called no more. The caller bounds the series.
  virtual void Show(std::function<std::vector<ShownFamily>()> families) = 0;

  /// Where that agent counts what it declares (AgentFactory::metrics); the same for the same name.
  /// Lives as long as this.
  virtual absl::StatusOr<AgentMetrics*> OfAgent(const AgentInfo& agent) = 0;

  /// Returns what a graph shows: counters and gauges of agents and of Show(), and the calls, errors
  /// and rejected nodes of each agent.
  virtual std::vector<ShownFamily> Read() const = 0;

  /// The text exposition format 0.0.4, process figures included.
  virtual std::string Render() const = 0;
};

}  // namespace outrigger::server
