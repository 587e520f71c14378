#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/desk_names.h"
#include "gang/plan/preemption.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

/// The metrics of preemption.
std::vector<MetricSpec> EvictionMetrics();

/// What evictions for a unit came to.
enum class RoundEnd : uint8_t {
  kServed,   ///< the unit is bound
  kLost,     ///< it had places, and other pods took them
  kExpired,  ///< it had no places in time, or was not bound
  kGivenUp,  ///< no pod was evicted, or another agent sees to the rest
  kEnded,    ///< it is gone, or fits without an eviction
};

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
  /// No pod is evicted for the unit: pods that may not be evicted, which `why` names, have what it
  /// lacks.
  void OnNobody(const plan::Unit& unit, std::string_view why);
  /// The API server refused to evict the pods, which are no victims for so long.
  void OnLeftOut(const plan::Unit& unit, const std::vector<PodPtr>& pods,
                 const absl::Status& answer, std::chrono::seconds wait);
  /// No pod is evicted for the unit: one that was to be may not be.
  void OnProtected(const plan::Unit& unit, const absl::Status& why);
  /// What an eviction was answered. Why it was refused is logged once as long as it stays the same.
  void OnEviction(const Pod& pod, const absl::Status& status);
  /// Places are kept no longer; so many pods were evicted. In vain: `why`, and for how long no pod
  /// is evicted for the unit.
  void OnRoundEnd(const plan::Unit& unit, RoundEnd end, size_t evicted, std::string_view why,
                  std::chrono::seconds pause);

 private:
  void TellFailed(const plan::Unit& unit, std::string text);
  bool IsNew(const std::string& pod, std::string why);

  ClusterWriter* const cluster_;
  AgentMetrics* const metrics_;
  const Log log_;
  Mutex mutex_;
  std::map<std::string, std::string> refused_ ABSL_GUARDED_BY(mutex_);  // by the UID of a pod, why
};

}  // namespace outrigger::gang
