#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <utility>

#include "outrigger/agent/metrics.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::gang {

/// Sees from calls whether the scheduler's configuration has what `only-groups` says: calls about
/// pods that do not ask for them come where it has not. Where it has, and the setting is off, only
/// a pod that asks for an amount shows it: NodeResourcesFit would refuse it before. Thread-safe.
class OtherMode {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// `metrics` outlives this.
  OtherMode(AgentMetrics* metrics, Log warn, bool only_groups)
      : metrics_(metrics), warn_(std::move(warn)), only_groups_(only_groups) {}

  /// A filter call came; the first that does not go with the setting is logged, all are counted.
  void OnFilter(const Pod& pod);

 private:
  AgentMetrics* const metrics_;
  const Log warn_;
  const bool only_groups_;
  std::atomic<bool> warned_ = false;
};

}  // namespace outrigger::gang
