#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "cli/doctor/findings.h"
#include "outrigger/k8s/pod.h"

// Members of groups that do not ask for the calls of an agent that is called about no other pods.

namespace outrigger::cli {

/// Counts such pods by what they do not ask for. Not thread-safe.
class GroupResources {
 public:
  /// Takes a pod that an agent plans.
  void Take(const Pod& pod);
  /// Adds one finding for each kind.
  void AddTo(Findings* findings) const;

 private:
  struct Kind {
    size_t waiting = 0;
    size_t bound = 0;
    std::string example;  // "namespace/name" of the first pod
  };

  std::map<std::string_view, Kind> kinds_;  // by what is missing
};

}  // namespace outrigger::cli
