#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "gang/desk/leadership.h"
#include "gang/desk/nominations/memory.h"
#include "gang/desk/time.h"
#include "gang/desk/writes/pod_writer.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"

namespace outrigger::desk {

/// Writes nominations, as PodWriter does. Thread-safe.
class NominationWriter {
 public:
  /// As those of PodWriter: from the threads that write.
  struct Hooks {
    /// Asked before each write; an error drops all that is queued.
    MayWrite may_write;
    /// What a write came to.
    std::function<void(const Nomination& nomination, const absl::Status& status)> answered;
    /// Take() has something.
    std::function<void()> changed;
  };
  struct Result {
    Nomination nomination;
    bool written = false;
    Time began;
  };
  struct Content {
    std::vector<Result> results;
    absl::flat_hash_set<std::string> under_way;  // pods, by UID, of which one is being written
  };

  /// `cluster`, and what `hooks` need, outlive this.
  NominationWriter(ClusterWriter* cluster, Hooks hooks,
                   SteadyNow now = std::chrono::steady_clock::now);

  /// As of PodWriter.
  void Start() { writer_.Start(); }
  void Stop() { writer_.Stop(); }
  void Offer(std::vector<Nomination> due) { writer_.Offer(std::move(due)); }
  void Drop() { writer_.Drop(); }
  Content Take();

 private:
  PodWriter<Nomination> writer_;
};

}  // namespace outrigger::desk
