#pragma once

#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/agent/registry.h"
#include "outrigger/base/mutex.h"

namespace outrigger::server {

/// The metrics that agents declare, as Prometheus families with the label `agent` and at most one
/// of their own. Thread-safe.
class AgentFamilies {
 public:
  /// `registry` outlives this.
  explicit AgentFamilies(prometheus::Registry& registry);
  ~AgentFamilies();

  /// Where that agent counts; the same for the same name. What it declares appears with its first
  /// value, without a label of its own at once, at 0. Two agents may declare the same metric.
  /// InvalidArgument: a metric that cannot be (no name of a metric, a name that exists as another
  /// type, ...); the text names the metric and what is accepted.
  absl::StatusOr<AgentMetrics*> Of(const AgentInfo& agent);

 private:
  prometheus::Registry& registry_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<AgentMetrics>, std::less<>> agents_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::server
