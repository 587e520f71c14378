#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "desk/leadership/lease_name.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/desk/leadership.h"

namespace outrigger::desk {

/// Whether the scheduler beside this agent is the one that schedules: a kube-scheduler that loses
/// its Lease exits, but its sidecar does not. Ask() reads the Lease; the epoch is its holder, which
/// is an instance of the scheduler.
class SchedulerLease final : public Leadership {
 public:
  struct Options {
    LeaseName lease;        // without a name: always in charge
    std::string host_name;  // the holder's identity is "<host name>_<something>"
    std::chrono::milliseconds every{1000};
  };
  /// `changed` is called, from a thread of this, once it has become or ceased to be in charge, or
  /// another instance of the scheduler has the Lease (a new epoch).
  /// `warn` gets one line each time the Lease is found not to exist, with the cure; may be empty.
  /// `cluster` outlives this.
  SchedulerLease(ClusterReader* cluster, Options options, std::function<void()> changed,
                 std::function<void(std::string_view line)> warn = {});
  ~SchedulerLease() override;
  SchedulerLease(const SchedulerLease&) = delete;
  SchedulerLease& operator=(const SchedulerLease&) = delete;

  absl::Status Start() override;
  void Stop() override;
  absl::Status Now() const override;
  std::string Epoch() const override;
  /// The scheduler's term is no concern of the permit.
  absl::StatusOr<WritePermit> MayWrite(const CallLimits& limits) override;
  absl::Status Ask(const CallLimits& limits) override;
  bool IsHeldByAnother() const override;

 private:
  void Note(const absl::StatusOr<std::string>& holder);
  void WarnIfMissing(const absl::StatusOr<std::string>& holder);
  absl::Status Judge(const absl::StatusOr<std::string>& holder) const;

  ClusterReader* const cluster_;
  const Options options_;
  const std::function<void()> changed_;
  const std::function<void(std::string_view line)> warn_;
  mutable std::mutex mutex_;
  absl::Status now_;
  std::string epoch_;
  bool held_by_another_ = false;
  bool is_missing_ = false;  // warned, and not seen since
  std::jthread thread_;
};

}  // namespace outrigger::desk
