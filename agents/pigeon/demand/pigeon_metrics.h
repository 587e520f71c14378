#pragma once

#include <vector>

#include "outrigger/agent/metrics.h"

namespace outrigger::pigeon {

namespace metric {
inline constexpr const char* kPods = "outrigger_pigeon_counted_pods_total";
inline constexpr const char* kSaves = "outrigger_pigeon_state_saves_total";
inline constexpr const char* kDemandGamma = "outrigger_pigeon_demand_gamma_ratio";
inline constexpr const char* kNodes = "outrigger_pigeon_counted_nodes";
}  // namespace metric

inline std::vector<MetricSpec> PigeonMetrics() {
  using Kind = MetricSpec::Kind;
  return {
      {.kind = Kind::kCounter,
       .name = metric::kPods,
       .help = "Pods whose requests were added to the statistics of demand.",
       .label = "",
       .buckets = {}},
      {.kind = Kind::kCounter,
       .name = metric::kSaves,
       .help = "Attempts to store the statistics of demand, by result.",
       .label = "result",
       .buckets = {}},
      {.kind = Kind::kGauge,
       .name = metric::kDemandGamma,
       .help = "Coefficient of variation of pod requests, at the last call for scores.",
       .label = "",
       .buckets = {}},
      {.kind = Kind::kGauge,
       .name = metric::kNodes,
       .help = "Nodes counted as the cluster at the last call for scores.",
       .label = "",
       .buckets = {}},
  };
}

}  // namespace outrigger::pigeon
