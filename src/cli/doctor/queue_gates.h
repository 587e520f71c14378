#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/doctor/findings.h"
#include "json/object_list.h"
#include "outrigger/k8s/pod.h"

// Pods that wait at the scheduling gate outrigger.dev/queue, and members that should and do not.

namespace outrigger::cli {

/// Counts such pods. Not thread-safe.
class QueueGates {
 public:
  /// Agents plan the pods of `scheduler_names`, and remove the gate.
  explicit QueueGates(std::vector<std::string> scheduler_names);

  /// Takes a Pod. Errors are those of json::DecodePod().
  absl::Status Take(const json::ListedObject& object);
  /// Adds one finding for each kind.
  void AddTo(Findings* findings) const;

 private:
  struct Seen {
    size_t pods = 0;
    std::string example;  // "namespace/name" of the first pod
    void Add(const Pod& pod);
  };

  const std::vector<std::string> scheduler_names_;
  Seen of_others_;  // gated, of a scheduler that no agent plans
  Seen gated_;      // gated, of ours
  Seen ungated_;    // members of ours without a node and without the gate
};

}  // namespace outrigger::cli
