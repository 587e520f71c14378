#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "cli/doctor/findings.h"
#include "outrigger/k8s/pod.h"

// Pods that name a group in a way that no agent reads: they start one by one.

namespace outrigger::cli {

/// Counts such pods by the kind of their marker. Not thread-safe.
class UnreadMarkers {
 public:
  /// Takes a pod that an agent plans.
  void Take(const Pod& pod);
  /// Adds one finding for each kind of marker.
  void AddTo(Findings* findings) const;

 private:
  struct Kind {
    size_t pods = 0;
    std::string example;  // "namespace/name" of the first pod
  };

  std::map<std::string, Kind, std::less<>> kinds_;  // by the text of the note
};

}  // namespace outrigger::cli
