#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "cluster/pod_record.h"

namespace outrigger::cluster {

/// The pods that are believed to be on a node without the API server having shown it, and when that
/// belief ends. Not thread-safe.
class Assumptions {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Assumption {
    PodPtr shown;  // the pod as the API server shows it, without a node
    std::string node;
    Time until;
  };

  bool empty() const { return by_pod_.empty(); }
  /// The assumption about the pod, or nullptr. Lives until this is changed.
  Assumption* Find(const PodKey& key);
  /// Adds an assumption, or replaces the one about the same pod. `until` never goes back.
  void Set(Assumption assumption);
  void Erase(const PodKey& key);
  /// Takes out one of which the time has come and returns its pod as shown; null: there is none.
  PodPtr TakeExpired(Time now);

 private:
  using Name = std::pair<std::string, std::string>;
  static Name NameOf(const PodKey& key) {
    return {std::string(key.namespace_), std::string(key.name)};
  }

  absl::flat_hash_map<Name, Assumption> by_pod_;
  std::deque<std::pair<Time, Name>> ends_;  // also of assumptions that are no more, or last longer
};

}  // namespace outrigger::cluster
