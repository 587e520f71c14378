#pragma once

#include <atomic>
#include <stop_token>
#include <vector>

#include "board.h"
#include "eviction_reports.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::gang {

/// Evicts each of `left` through the API server, several at once, and tells `reports` of each. Who
/// may not be evicted now stays in `left`; who is gone already, or another pod by now, does not.
/// `stop` cuts calls short; after `enough` no more are begun, and who is not asked for stays. `any`
/// is set once somebody was evicted.
void EvictAll(ClusterAccess* cluster, EvictionReports* reports, std::vector<PodPtr>* left,
              const std::stop_token& stop, const std::stop_token& enough = {},
              std::atomic<bool>* any = nullptr);

}  // namespace outrigger::gang
