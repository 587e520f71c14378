#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kube/api.h"
#include "kube/objects.h"
#include "lab/framework/timers.h"
#include "lab/nodes/shape.h"
#include "lab/nodes/write_queue.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::lab {

struct NodeKeeperOptions {
  std::chrono::milliseconds lease_interval{10'000};    // between two renewals of a Lease
  std::chrono::milliseconds status_interval{300'000};  // the same of the node's conditions
  Clock clock = {};
  /// Told, from any thread, what goes wrong with a node. May be empty.
  std::function<void(const std::string& line)> warn = {};
};

/// Makes nodes exist and keeps them ready, as kubelets do: objects, Leases, conditions. A simulated
/// node of that name that exists already is taken over; another one is left alone. One that
/// somebody deletes stays deleted. Thread-safe.
class NodeKeeper {
 public:
  /// `api`, `queue` and `timers` outlive this, and end to use it before it ends.
  NodeKeeper(kube::Api* api, const std::vector<SimulatedNode>& nodes, WriteQueue* queue,
             ScopedTimers* timers, NodeKeeperOptions options);
  ~NodeKeeper();
  NodeKeeper(const NodeKeeper&) = delete;
  NodeKeeper& operator=(const NodeKeeper&) = delete;

  /// To be called once.
  void Start();
  /// Ends calls that are under way.
  void Cancel() { stop_.request_stop(); }

  /// How many nodes are there and ready; and how many never will be, or are no more.
  size_t ready() const { return ready_; }
  size_t lost() const { return lost_; }
  /// Waits until every node is ready or lost; false if `stop` was requested before.
  bool AwaitReady(const std::stop_token& stop);

 private:
  class Node;
  /// A node became ready, or is lost.
  void Settled(bool ready);
  void Lost(const std::string& why, bool was_ready);
  kube::CallOptions Calling() const;

  kube::Api& api_;
  WriteQueue& queue_;
  ScopedTimers& timers_;
  const NodeKeeperOptions options_;
  std::stop_source stop_;
  std::atomic<size_t> ready_{0};
  std::atomic<size_t> lost_{0};
  Mutex mutex_;
  std::condition_variable_any settled_;
  std::vector<std::shared_ptr<Node>> nodes_;
};

}  // namespace outrigger::lab
