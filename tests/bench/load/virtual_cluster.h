#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <vector>

#include "fake_cluster.h"
#include "load/annotate/node_values.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "trace.h"

namespace outrigger::load_bench {

/// When a run begins, seconds since 1970.
inline constexpr int64_t kEpoch = 1'800'000'000;

/// A trace's nodes and pods as the API server shows them, and the time of the run. Not thread-safe.
class VirtualCluster {
 public:
  /// `trace` outlives this.
  explicit VirtualCluster(const Trace* trace) : trace_(*trace) {}

  void Set(double now) { now_ = now; }
  double now() const { return now_; }
  /// Both clocks show the run's time. Valid as long as this.
  Clock clock() const;

  void Join(size_t node);
  void Place(size_t pod, size_t node);
  void Remove(size_t pod);
  void Kill(size_t pod);
  /// Writes annotations as a patch of the API server does.
  void Annotate(const Node& node, const annotate::NodeChange& change);

  /// What a scheduler asks with.
  Pod PodOf(size_t pod) const;
  std::vector<Node> NodesOf(std::span<const size_t> nodes);
  testing::FakeCluster& fake() { return fake_; }

 private:
  int64_t Wall() const { return kEpoch + static_cast<int64_t>(now_); }

  const Trace& trace_;
  double now_ = 0;
  testing::FakeCluster fake_;
};

}  // namespace outrigger::load_bench
