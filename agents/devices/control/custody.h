#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "calls/binding.h"
#include "control/recovery.h"
#include "control/retries.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/clock.h"
#include "outrigger/devices/custodian.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

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
  void Begin() { is_dirty_ = true; }
  /// Pods, claims or pools have changed. Thread-safe.
  void OnChange() { is_dirty_ = true; }
  /// Does what is due. Returns after which time more is. Blocks.
  Clock::Duration Round(const std::stop_token& stop);
  /// Ok once all that the first round found was tried, with or without success: what fails is tried
  /// again, and its owner hears of it. Else as Recovery::Ended(). Thread-safe.
  absl::Status Recovered() const { return recovery_.Ended(); }

 private:
  absl::StatusOr<PodFact> ReadPod(std::string_view namespace_, std::string_view name,
                                  const CallLimits& limits) override;
  absl::Status Serve(const Action& action, const CallLimits& limits) override;
  void Report(const Action& action) override;
  std::set<std::string, std::less<>> AdminClasses() override;

  void Emit(const Action& action, std::string_view reason);
  /// After which time a look is due; not above zero: now.
  Clock::Duration Due() const;
  std::vector<Action> Find(const ClusterSnapshot& snapshot, std::optional<WallTime>* deadline);
  /// What the first round does is said in recovery_. False: stopped.
  bool CarryAll(const std::vector<Action>& actions, const std::stop_token& stop);
  void Carry(const Action& action, const std::stop_token& stop);
  void OnFailure(const Action& action, const absl::Status& failure);

  const Terms terms_;
  DeviceStore& store_;
  Binding& binding_;
  const std::unique_ptr<Carrier> carrier_;  // null: there is no cluster
  std::atomic<bool> is_dirty_{true};
  Recovery recovery_;
  Retries retries_;
  std::optional<Clock::TimePoint> looked_;  // when it last did
  Clock::Duration pause_{};                 // until the next look, if something has changed
  std::optional<WallTime> deadline_;        // of the next intent that may expire
  std::map<std::string, uint64_t, std::less<>> reported_;  // conflicts, and in which round
  uint64_t round_ = 0;
};

}  // namespace outrigger::devices::agent
