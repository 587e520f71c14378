#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "cli/doctor/findings.h"
#include "outrigger/k8s/pod.h"

// Gangs of which more members have to wait for each other than may.

namespace outrigger::cli {

/// Finds such gangs by the minimum on their pods. Not thread-safe.
class LargeGangs {
 public:
  /// `most`: bind calls that may wait at once; 0: none waits.
  explicit LargeGangs(int64_t most) : most_(most) {}

  /// Takes a pod that an agent plans.
  void Take(const Pod& pod);
  /// Adds one finding for all.
  void AddTo(Findings* findings) const;

 private:
  const int64_t most_;
  std::set<std::string> gangs_;  // "namespace/name"
  std::string example_;          // "namespace/name" of the first pod
  int64_t largest_ = 0;
};

}  // namespace outrigger::cli
