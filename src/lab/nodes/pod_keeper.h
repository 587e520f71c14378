#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kube/api.h"
#include "kube/view/cluster_sinks.h"
#include "lab/framework/timers.h"
#include "lab/nodes/pod_plan.h"
#include "lab/nodes/pod_status.h"
#include "lab/nodes/room.h"
#include "lab/nodes/shape.h"
#include "lab/nodes/write_queue.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// What happened to pods since the start.
struct PodCounts {
  uint64_t started = 0;
  uint64_t ended = 0;
  uint64_t rejected = 0;
  uint64_t removed = 0;
};

struct PodKeeperOptions {
  uint64_t seed = 0;  // of the chance in PodPlan
  Clock clock = {};
  /// Told of what happens to a pod as a kubelet tells it by an Event; may be empty.
  std::function<void(const Pod& pod, bool warning, std::string_view reason,
                     const std::string& note)>
      event = {};
  /// Told, from any thread, what cannot be written. May be empty.
  std::function<void(const std::string& line)> warn = {};
};

/// Runs the pods that are bound to a set of nodes, as their kubelets do: admits them or not, starts
/// and ends them by their PodPlan, removes what was deleted. Pods that run already when they are
/// first seen go on from where they are. Thread-safe.
class PodKeeper final : public kube::ClusterSink {
 public:
  /// `api`, `queue` and `timers` outlive this, and end to use it before it ends.
  PodKeeper(kube::Api* api, const std::vector<SimulatedNode>& nodes, WriteQueue* queue,
            ScopedTimers* timers, PodKeeperOptions options);
  ~PodKeeper() override;

  void UpsertPod(const Pod& pod) override;
  void RemovePod(std::string_view namespace_, std::string_view name) override;
  void UpsertNode(Node /*node*/) override {}
  void RemoveNode(std::string_view /*name*/) override {}

  /// What UpsertPod() reads of pods.
  static Needs PodNeeds();

  /// Ends calls that are under way.
  void Cancel() { stop_.request_stop(); }
  PodCounts counts() const;
  /// Pods that take room on a node now.
  size_t running() const;

 private:
  class Kept;
  using Held = std::shared_ptr<Kept>;

  void Begin(const Held& kept, const Pod& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Admit(const Held& kept, const Pod& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Resume(const Held& kept, const Pod& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunAndEnd(const Held& kept) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Leave(const Held& kept) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(Kept& kept) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FreeRoom(Kept& kept) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MoveTo(const Held& kept, PodStage stage);
  void MoveLater(const Held& kept, PodStage stage, Clock::Duration delay);
  bool Write(Kept& kept);
  absl::Status WriteStage(const Kept& kept, const PodFacts& facts, PodStage stage);

  kube::Api& api_;
  WriteQueue& queue_;
  ScopedTimers& timers_;
  const PodKeeperOptions options_;
  std::stop_source stop_;
  mutable Mutex mutex_;
  absl::flat_hash_map<std::string, size_t> nodes_;  // name -> number
  std::vector<NodeRoom> rooms_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Held> pods_ ABSL_GUARDED_BY(mutex_);  // by "namespace/name"
  PodCounts counts_ ABSL_GUARDED_BY(mutex_);
  uint32_t addresses_ ABSL_GUARDED_BY(mutex_) = 0;  // given out
  size_t running_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace outrigger::lab
