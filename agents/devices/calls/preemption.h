#pragma once

#include <vector>

#include "absl/status/status.h"
#include "calls/judge.h"
#include "outrigger/agent/stages.h"
#include "outrigger/devices/allocator.h"
#include "store/device_store.h"
#include "store/excerpt.h"

namespace outrigger::devices::agent {

/// Keeps pods from being evicted in vain: kube-scheduler knows nothing of the devices that they
/// hold. Holds the store's lock as long as it takes to copy what is known of the candidates.
/// Thread-safe.
class Preemption {
 public:
  /// All outlive this.
  Preemption(const DeviceStore& store, const Judge& judge, const Allocator& allocator)
      : store_(store), judge_(judge), allocator_(allocator) {}

  /// As Preempter: of the candidates those where the claims of the pod fit once the victims are
  /// gone. A pod without claims keeps all.
  absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) const;

 private:
  void Choose(const Excerpt& excerpt, const PodDemand& demand, const PreemptRequest& request,
              std::vector<NodeVictims>* chosen) const;

  const DeviceStore& store_;
  const Judge& judge_;
  const Allocator& allocator_;
};

}  // namespace outrigger::devices::agent
