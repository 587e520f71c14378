#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "cli/doctor/findings.h"
#include "outrigger/k8s/pod.h"

// Pods that name a group in a way that no agent reads, or of which no pod names the minimum: they
// start one by one.

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
  using Kinds = std::map<std::string, Kind, std::less<>>;  // by the text of the note
  struct Group {
    bool has_minimum = false;
    Kinds kinds;
  };
  static void Count(const Pod& pod, const std::string& text, Kinds* kinds);

  Kinds kinds_;
  std::map<std::string, Group, std::less<>> groups_;  // by "namespace/name"
};

}  // namespace outrigger::cli
