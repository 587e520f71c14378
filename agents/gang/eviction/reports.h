#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/plan/preemption.h"

namespace outrigger::gang {

/// The metrics of preemption.
std::vector<MetricSpec> EvictionMetrics();

/// Tells people and machines who is evicted, and for whom. Thread-safe.
class EvictionReports {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// All outlive this.
  EvictionReports(ClusterWriter* cluster, AgentMetrics* metrics, Log log);

  /// These are going to be evicted for the unit: an Event for the unit.
  void OnPreempting(const plan::Unit& unit, const std::vector<plan::Victim>& victims);
  /// This one was: an Event for the pod.
  void OnPreempted(const plan::Unit& unit, const Pod& pod);
  /// These were to be, and stay after all; why, in words that go before their names.
  void OnSpared(const plan::UnitKey& unit, std::string_view why,
                const std::vector<plan::Victim>& spared);
  /// Nobody is evicted for the unit: it may not be.
  void OnProtected(const plan::Unit& unit, const absl::Status& why);
  /// What an eviction was answered. Why it was refused is logged once as long as it stays the same.
  void OnEviction(const Pod& pod, const absl::Status& status);
  /// Places are kept no longer: the unit has some or is gone, or it took too long; whether anybody
  /// was evicted.
  void OnPromiseEnd(const plan::UnitKey& unit, bool served, bool begun);
  /// The same, before all who were to be evicted are; whether anybody is.
  void OnGivenUp(const plan::UnitKey& unit, bool begun, const absl::Status& why);

 private:
  bool IsNew(const std::string& pod, std::string why);

  ClusterWriter* const cluster_;
  AgentMetrics* const metrics_;
  const Log log_;
  std::mutex mutex_;
  std::map<std::string, std::string> refused_;  // by the UID of a pod, why; guarded by mutex_
};

}  // namespace outrigger::gang
