#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "gang/plan/unit.h"

namespace outrigger::plan {

/// Limits what all pending pods together ask of other pods: the planner compares each topology
/// spread constraint and each term of required pod affinity and anti-affinity with all nodes and
/// pods. Equal ones of many pods count once. Remembers what pods ask. Not thread-safe.
class TermLimit {
 public:
  /// So many are planned by: a few MB of counts in a cluster of 5000 nodes, and some hundred
  /// workloads that differ in all of their terms and wait at once.
  static constexpr size_t kMost = 1024;
  TermLimit();
  ~TermLimit();
  TermLimit(const TermLimit&) = delete;
  TermLimit& operator=(const TermLimit&) = delete;

  /// Why a unit is not planned, and what helps. It stays the same from plan to plan.
  static std::string_view Reason();

  /// Takes units out of `units` until the terms of those that stay are no more than kMost. Returns
  /// them in their order. Each namespace has a fair share of kMost: what it does not ask for, or
  /// cannot fill with whole units, is for others. Within a share units stay that have begun (a
  /// member is bound or waits to be bound), then those that come first.
  std::vector<Unit> TakeOut(std::vector<Unit>* units);

 private:
  class Known;
  const std::unique_ptr<Known> known_;
};

}  // namespace outrigger::plan
