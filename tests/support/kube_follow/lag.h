#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "cluster/pod_record.h"

namespace outrigger::kube_follow {

/// How long changes take from whoever makes them, who writes the time into an annotation, to the
/// store. Both sides must have one clock. Thread-safe.
class Lag {
 public:
  struct Figures {
    double p50_ms = 0;
    double p99_ms = 0;
    size_t count = 0;
  };

  explicit Lag(std::string annotation) : annotation_(std::move(annotation)) {}
  bool wanted() const { return !annotation_.empty(); }

  /// What is stored from here on is a change; before, it was the state at the start.
  void Begin();
  /// The pod is being stored, or looked at once more: a time that is not newer than the pod's last
  /// one is no change.
  void Stored(const cluster::PodRecord& pod);
  /// Of all since Begin().
  Figures Sum();

 private:
  const std::string annotation_;
  std::mutex mutex_;  // guards what follows
  bool begun_ = false;
  std::vector<double> milliseconds_;
  absl::flat_hash_map<std::string, absl::Time> sent_;  // by UID
};

}  // namespace outrigger::kube_follow
