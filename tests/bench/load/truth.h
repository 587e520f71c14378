#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "amounts.h"
#include "trace.h"

namespace outrigger::load_bench {

/// What is really on the nodes of a run: the placements, and so the load of each node at each time.
/// Not thread-safe.
class Truth {
 public:
  /// `trace` outlives this.
  explicit Truth(const Trace* trace) : trace_(*trace), pods_(trace->nodes.size()) {}

  void Place(size_t pod, size_t node, double time);
  /// Removes the pods that have ended at `time`; returns them with their nodes.
  struct Ended {
    size_t pod;
    size_t node;
  };
  std::vector<Ended> EndAt(double time);

  /// Pods and system together, whether the machine has that much or not: what is missing of it is
  /// time that pods wait. With the placements of now, of which those that end before `time` do not
  /// count.
  Amounts Use(size_t node, double time) const;
  /// The same as a share of what is allocatable.
  Amounts Load(size_t node, double time) const {
    return ShareOf(Use(node, time), trace_.nodes[node].allocatable);
  }
  /// Its mean over the minute around a minute after `time`.
  Amounts LoadAMinuteAfter(size_t node, double time) const;
  Amounts Requested(size_t node) const { return sums_[node]; }
  size_t PodsOn(size_t node) const { return pods_[node].size(); }
  bool IsThere(size_t node, double time) const { return trace_.nodes[node].begins <= time; }

  /// The highest share of cpu or memory of the node with the pod on it in the next ten minutes, as
  /// far as what runs there now is concerned.
  double PeakWith(size_t node, size_t pod, double time) const;
  bool HasRoom(size_t node, size_t pod, double time) const {
    return PeakWith(node, pod, time) <= kOverload;
  }

  static constexpr double kOverload = 0.9;

  struct Stay {
    size_t pod;
    double begin;
    double end;
  };
  const std::vector<Stay>& StaysOn(size_t node) const { return pods_[node]; }

 private:
  const Trace& trace_;
  std::vector<std::vector<Stay>> pods_;  // by node, in the order of placing
  std::vector<Amounts> sums_ = std::vector<Amounts>(pods_.size());
};

}  // namespace outrigger::load_bench
