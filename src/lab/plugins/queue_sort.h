#pragma once

#include <string_view>

#include "lab/framework/plugins.h"

namespace outrigger::lab {

/// QueueSort: first come, first served.
class ArrivalSort final : public QueueSortPlugin {
 public:
  std::string_view Name() const override { return "ArrivalSort"; }
  bool Less(const QueuedPod& a, const QueuedPod& b) const override;
};

/// QueueSort: the larger label groupPriority first, then Guaranteed before Burstable before
/// BestEffort (plan::ComparePods), then first come, first served.
class RiyaSort final : public QueueSortPlugin {
 public:
  std::string_view Name() const override { return "RiyaSort"; }
  bool Less(const QueuedPod& a, const QueuedPod& b) const override;
};

}  // namespace outrigger::lab
