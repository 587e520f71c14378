#pragma once

#include <cstddef>
#include <string>

#include "cli/doctor/findings.h"
#include "outrigger/k8s/pod.h"

// Pods that wait at the scheduling gate outrigger.dev/queue, and members that should and do not.

namespace outrigger::cli {

/// Counts such pods. Not thread-safe.
class QueueGates {
 public:
  /// Takes a pod; `planned`: an agent plans it, and removes the gate.
  void Take(const Pod& pod, bool planned);
  /// Adds one finding for each kind.
  void AddTo(Findings* findings) const;

 private:
  struct Seen {
    size_t pods = 0;
    std::string example;  // "namespace/name" of the first pod
    void Add(const Pod& pod);
  };

  Seen unplanned_;  // gated, and no agent plans them
  Seen gated_;      // gated, and planned
  Seen ungated_;    // planned members without a node and without the gate
};

}  // namespace outrigger::cli
