#pragma once

#include <vector>

#include "absl/status/status.h"
#include "calls/judge.h"
#include "devices/allocation/allocator.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/stages.h"
#include "store/device_store.h"
#include "store/excerpt.h"

namespace outrigger::devices::agent {

/// Keeps pods from being evicted in vain: kube-scheduler knows nothing of the devices that they
/// hold. Holds the store's lock as long as it takes to copy what is known of the candidates.
/// Thread-safe.
class Preemption {
 public:
  /// All outlive this. `cluster`: for priorities of pods; null: no victims are chosen.
  Preemption(const DeviceStore& store, const Judge& judge, const Allocator& allocator,
             ClusterReader* cluster = nullptr)
      : store_(store), judge_(judge), allocator_(allocator), cluster_(cluster) {}

  /// As Preempter: of the candidates those where the claims of the pod fit once the victims are
  /// gone. A candidate without victims gets some, by decreasing priority: pods of lower priority
  /// that hold devices there, none of which can be spared. Pods of the highest priority are spared
  /// first, then those that hold the fewest devices. Where no eviction is needed or helps, the
  /// candidate goes. A pod without claims keeps all. Unavailable: the pods are not known.
  absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) const;

 private:
  absl::Status Choose(const Excerpt& excerpt, const PodDemand& demand,
                      const PreemptRequest& request, std::vector<NodeVictims>* chosen) const;
  /// The pods of lower priority that hold devices on the node, in the order in which they are to be
  /// spared.
  absl::Status AddVictims(const Excerpt& excerpt, const Pod& pod, NodeVictims* candidate) const;

  const DeviceStore& store_;
  const Judge& judge_;
  const Allocator& allocator_;
  ClusterReader* const cluster_;
};

}  // namespace outrigger::devices::agent
