#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/clock.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Says in Events what is wrong with pools, once each, and keeps the gauges. Of one thread.
class PoolReports {
 public:
  struct Terms {
    ClusterAccess* cluster = nullptr;
    AgentMetrics* metrics = nullptr;
    Clock clock = {};
  };
  explicit PoolReports(Terms terms) : terms_(std::move(terms)) {}

  /// Looks at all pools, unless it did so a moment ago. Returns when more is due; makes no call
  /// that blocks.
  Clock::Duration Round(const DeviceStore& store);

 private:
  // What is known of a pool that is not as it should be.
  struct Fault {
    std::string uid;
    std::string text;
    Clock::TimePoint since;
    bool is_reported = false;
    uint64_t round = 0;
  };
  struct Event {
    std::string reason;
    std::string pool;
    std::string uid;
    std::string note;
  };

  void Look(const Contents& contents, const ClusterSnapshot& nodes);
  void Note(const PoolObject& pool, std::string reason, std::string text, Clock::Duration patience);
  void SetGauges(const DeviceStore& store);

  const Terms terms_;
  std::map<std::string, Fault, std::less<>> faults_;  // by reason and pool
  std::vector<Event> events_;                         // of this round
  std::optional<Clock::TimePoint> next_;
  uint64_t round_ = 0;
};

}  // namespace outrigger::devices::agent
