#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "desk/nominations/memory.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/desk/time.h"

namespace outrigger::desk {

/// Writes nominations on threads of its own, so that no plan waits for the API server. Each pod has
/// one write under way at most. Without Start() it writes on the caller's thread, for tests.
/// Thread-safe.
class NominationWriter {
 public:
  /// All of them are called without a lock, from the threads that write.
  struct Hooks {
    /// Asked before each write; an error drops all that is queued.
    std::function<absl::Status()> may_write;
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
  ~NominationWriter() { Stop(); }
  NominationWriter(const NominationWriter&) = delete;
  NominationWriter& operator=(const NominationWriter&) = delete;

  void Start();
  /// Ends the writes that are under way, and returns.
  void Stop();

  /// All that is to be written now, the most urgent first, in the place of what is still queued.
  /// Left out are pods whose last write is under way, or its result not taken yet, and what goes
  /// past the longest queue: the caller asks again after it has taken results.
  void Offer(std::vector<Nomination> due);
  /// Forgets what is queued. A write that is under way goes on.
  void Drop();
  /// What came of writes since the last call, in the order in which they ended.
  Content Take();

 private:
  void Run(const std::stop_token& stop);
  std::optional<Nomination> Next();
  void Write(const Nomination& nomination, const std::stop_token& stop);
  bool IsOpen(const std::string& uid) const;

  ClusterWriter* const cluster_;
  const Hooks hooks_;
  const SteadyNow now_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::deque<Nomination> queue_;
  absl::flat_hash_set<std::string> under_way_;
  std::vector<Result> results_;

  std::vector<std::jthread> threads_;  // of the caller of Start() and Stop()
};

}  // namespace outrigger::desk
