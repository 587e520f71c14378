#pragma once

#include <cstddef>
#include <vector>

namespace outrigger::load_bench {

/// What is measured in one run, or in several together.
struct Measures {
  /// Differences between the load that a policy took a node to have and the load a minute later of
  /// what ran there then (Truth::LoadAMinuteAfter()), percentage points of what is allocatable,
  /// where both count as at most 100. One for each node and minute.
  std::vector<double> cpu_errors;
  std::vector<double> memory_errors;
  double cpu_bias = 0;      // sum of the same, but signed: above 0 where loads are taken for larger
  double overloaded = 0;    // minutes of nodes above 90 % of allocatable, of cpu or memory
  size_t pods = 0;          // that arrived
  size_t placed = 0;        // of these
  size_t misplaced = 0;     // on a node that had no room, though another one had
  size_t refusals = 0;      // tries at which the policy refused every node where requests fit
  size_t in_vain = 0;       // of these: one of the nodes had room
  size_t pods_in_vain = 0;  // pods that had one of these
  double used_nodes = 0;    // sums over minutes: nodes with a pod,
  double imbalance = 0;     // and the deviation of the nodes' true use of cpu, percentage points
  size_t minutes = 0;

  void Add(const Measures& other);
};

/// The figures of a row of the table.
struct Row {
  double error_median = 0;
  double error_p95 = 0;
  double bias = 0;
  double memory_error_median = 0;
  double memory_error_p95 = 0;
  double overloaded = 0;
  double in_vain = 0;  // tries
  double pods_in_vain = 0;
  double refusals = 0;
  double pods = 0;
  double placed = 0;
  double misplaced = 0;
  double used_nodes = 0;
  double imbalance = 0;
};

Row RowOf(const Measures& measures);

/// The value that a share of `values` is at or below; 0 of none.
double Quantile(std::vector<double> values, double share);

}  // namespace outrigger::load_bench
