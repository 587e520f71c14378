#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kube/api.h"
#include "kube/watch/object_feed.h"
#include "kube/watch/reflector_state.h"
#include "lab/framework/timers.h"
#include "lab/nodes/pod_keeper.h"
#include "lab/nodes/shape.h"
#include "outrigger/base/clock.h"

namespace outrigger::lab {

struct NodeSimulatorOptions {
  /// Threads that write. Each has one call under way at most.
  size_t writers = 8;
  std::chrono::milliseconds lease_interval{10'000};
  std::chrono::milliseconds status_interval{300'000};
  uint64_t seed = 0;  // of the chance in pods' annotations
  /// Told, from any thread, what goes wrong. May be empty.
  std::function<void(const std::string& line)> warn = {};
  /// Told, from the thread that follows pods, what could not be read.
  kube::ObjectFeed::Report report = {};
  /// Another time than the real one; outlives the simulator. `clock.wall` has to go with it.
  Timers* timers = nullptr;
  Clock clock = {};
};

struct NodeSimulatorStats {
  size_t nodes_ready = 0;
  size_t nodes_lost = 0;  // deleted, or of others
  size_t pods_running = 0;
  PodCounts pods;
};

/// Nodes that are not there, and pods that seem to run on them: what kubelets would write into an
/// API server, from one process. docs/lab-nodes.md states the promises. Thread-safe.
class NodeSimulator {
 public:
  /// Begins in the background; an API server that does not answer is tried until it does. `api`
  /// outlives the simulator and should have no limit of calls.
  static std::unique_ptr<NodeSimulator> Start(kube::Api* api,
                                              const std::vector<SimulatedNode>& nodes,
                                              NodeSimulatorOptions options);
  /// Stops.
  virtual ~NodeSimulator() = default;

  /// Ends what is under way. Nodes and pods stay as they are: whoever starts a simulator with the
  /// same shapes goes on with them. Idempotent.
  virtual void Stop() = 0;

  /// Waits until all nodes are ready, but for those that are lost; false if `stop` was requested
  /// before.
  virtual bool AwaitReady(const std::stop_token& stop) = 0;
  virtual NodeSimulatorStats stats() const = 0;
  /// How well pods are followed.
  virtual std::vector<kube::ReflectorState> States() const = 0;
};

}  // namespace outrigger::lab
