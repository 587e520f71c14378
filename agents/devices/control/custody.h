#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "calls/binding.h"
#include "control/retries.h"
#include "devices/writer/custodian.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Whether what earlier processes left was looked after, and what that waits for. Thread-safe.
class Recovery {
 public:
  /// No effect after End().
  void WaitsFor(std::string what) ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    if (!has_ended_) waits_for_ = std::move(what);
  }
  void End() ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    has_ended_ = true;
  }
  /// Ok: it was. Unavailable: the text is what it waits for, in a few words.
  absl::Status Ended() const ABSL_LOCKS_EXCLUDED(mutex_) {
    const MutexLock lock(mutex_);
    return has_ended_ ? absl::OkStatus() : absl::UnavailableError(waits_for_);
  }

 private:
  mutable Mutex mutex_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::string waits_for_ ABSL_GUARDED_BY(mutex_) = "the first look at pools, claims and pods";
};

/// Puts right what writers left that died, and frees what pods had that ended: what the process
/// does that holds the Lease. Of one thread, but for HasRecovered().
class Custody final : private CustodyHost {
 public:
  struct Terms {
    ClusterAccess* cluster = nullptr;
    AgentMetrics* metrics = nullptr;
    std::function<void(std::string_view line)> log = nullptr;
    Clock clock = {};
  };
  /// Both outlive this.
  Custody(const Terms& terms, DeviceStore* store, Binding* binding);

  /// A term begins: everything is looked at.
  void Begin() {
    is_dirty_ = true;
    actions_.clear();
  }
  /// Pods, claims or pools have changed. Thread-safe.
  void OnChange() { is_dirty_ = true; }
  /// Does what is due, for about two seconds: others have a turn before the rest. Returns after
  /// which time more is due. Blocks.
  Clock::Duration Round(const std::stop_token& stop);
  /// Ok once all that the first round found was tried, with or without success: what fails is tried
  /// again, and its owner hears of it. Else as Recovery::Ended(). Thread-safe.
  absl::Status Recovered() const { return recovery_.Ended(); }

 private:
  absl::StatusOr<PodFact> ReadPod(std::string_view namespace_, std::string_view name,
                                  const CallLimits& limits) override;
  absl::StatusOr<std::vector<PodFact>> ReadPods(std::string_view namespace_,
                                                const CallLimits& limits) override;
  absl::Status Serve(const Action& action, const CallLimits& limits) override;
  void Report(const Action& action) override;

  void Emit(const Action& action, std::string_view reason);
  /// After which time a look is due; not above zero: now.
  Clock::Duration Due() const;
  std::vector<Action> Find(const ClusterSnapshot& snapshot);
  /// Finds actions_. False: what there is is not known.
  bool Look();
  /// Carries them out. What the first round does is said in recovery_.
  void Work(const std::stop_token& stop);
  std::vector<Action> TakeBatch();
  void CarryBatch(std::vector<Action> batch, const std::stop_token& stop);
  void OnEnd(const Action& action, const absl::Status& end);
  void OnFailure(const Action& action, const absl::Status& failure);

  const Terms terms_;
  DeviceStore& store_;
  Binding& binding_;
  IntentWatch intents_;
  const std::unique_ptr<Carrier> carrier_;  // null: there is no cluster
  std::atomic<bool> is_dirty_{true};
  Recovery recovery_;
  Retries retries_;
  std::optional<Clock::TimePoint> looked_;  // when it last did
  Clock::Duration pause_{};                 // until the next look, if something has changed
  std::map<std::string, uint64_t, std::less<>> reported_;  // conflicts, and in which round
  uint64_t round_ = 0;
  std::deque<Action> actions_;  // of this round, that are left
  size_t found_ = 0;            // how many it had
  size_t batch_ = 1024;         // how many are carried out at once
  // What ReadPods() read in this turn, by namespace: a job may leave a thousand entries.
  std::map<std::string, std::vector<PodFact>, std::less<>> pods_read_;
};

}  // namespace outrigger::devices::agent
