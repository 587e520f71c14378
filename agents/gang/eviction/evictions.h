#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "absl/status/status.h"
#include "common/desk_names.h"
#include "eviction/reports.h"
#include "outrigger/agent/cluster.h"

namespace outrigger::gang {

/// All are called from several threads at once, and may be empty.
struct EvictionHooks {
  MayWrite may_write = nullptr;                      // before each call, as the next
  std::function<bool(const Pod&)> wanted = nullptr;  // whether the pod is still to go
  /// What became of the call.
  std::function<void(const Pod&, const absl::Status&)> answered = nullptr;
};

/// Whether who was to be evicted may be, by what the call came to: also if its answer was lost.
bool MayBeEvicted(const absl::Status& status);

/// Evicts each of `left` through the API server, several at once, and tells `reports` of each. Who
/// may not be evicted now, by the API server or by `hooks`, stays in `left`; who is gone already,
/// or another pod by now, does not. After `stop` calls are cut short, and no more are begun.
void EvictAll(ClusterWriter* cluster, EvictionReports* reports, std::vector<PodPtr>* left,
              const std::stop_token& stop, const EvictionHooks& hooks = {});

}  // namespace outrigger::gang
