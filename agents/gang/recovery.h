#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "barrier.h"
#include "board.h"
#include "eviction_reports.h"
#include "memory.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/plan/groups.h"

namespace outrigger::gang {

/// Sees to gangs that are bound in part, below their minimum, for too long: it says so, and evicts
/// the rest of those that want to start anew. A gang some of whose members have finished is left
/// alone: it may be done. Not thread-safe.
class Recovery {
 public:
  Recovery(ClusterAccess* cluster, std::chrono::milliseconds patience)
      : cluster_(cluster), patience_(patience) {}

  /// A gang to be told of: once each time that it comes to this.
  struct Partial {
    plan::UnitKey key;
    int64_t bound = 0;
    int64_t minimum = 0;
    bool restarts = false;
  };
  std::vector<Partial> OnPlan(const Board& board, const Barriers& barriers, Time now);
  /// Evicts what is left of the gangs that OnPlan() said restart. A disruption budget may forbid
  /// it: then it is tried again. Goes to the API server.
  void Evict(const Board& board, EvictionReports* reports, const std::stop_token& stop);

  /// When the next gang has been bound in part for too long; nothing: none is.
  std::optional<Time> next_look() const { return next_look_; }
  /// How many gangs are bound in part, for however long.
  size_t partial() const { return since_.size(); }

 private:
  struct State {
    Time since;
    bool told = false;
    bool restarts = false;
    bool seen = false;
  };
  ClusterAccess* const cluster_;
  const std::chrono::milliseconds patience_;
  std::map<plan::UnitKey, State> since_;
  std::optional<Time> next_look_;
};

}  // namespace outrigger::gang
