#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "desk/leadership/lease_name.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/desk/leadership.h"

namespace outrigger::desk {

/// Whether the scheduler beside this agent is the one that schedules: a kube-scheduler that loses
/// its Lease exits, but its sidecar does not. Ask() reads the Lease; the epoch is its holder, which
/// is an instance of the scheduler.
///
/// A read that fails changes nothing until the last renewal that was seen is two thirds of the
/// Lease's duration ago (10 s of kube-scheduler's 15, its own renew deadline). By this process's
/// clock alone: a renewal is taken to be as old as the read before the one that saw it, so that it
/// ends before another scheduler may take the Lease.
class SchedulerLease final : public Leadership {
 public:
  struct Options {
    LeaseName lease;        // without a name: always in charge
    std::string host_name;  // the holder's identity is "<host name>_<something>"
    std::chrono::milliseconds every{1000};
    SteadyNow now = std::chrono::steady_clock::now;
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
  /// The write ends before another scheduler may have the Lease.
  absl::StatusOr<WritePermit> MayWrite(const CallLimits& limits) override;
  absl::Status Ask(const CallLimits& limits) override;
  bool IsHeldByAnother() const override;

 private:
  using Time = std::chrono::steady_clock::time_point;

  void Note(const absl::StatusOr<LeaseRecord>& read, Time began);
  void NoteGood(const LeaseRecord& read, Time began);
  void WarnIfMissing(const absl::Status& read);
  absl::Status NowLocked() const;
  bool IsMine(const std::string& holder) const;
  std::string Missing() const;

  ClusterReader* const cluster_;
  const Options options_;
  const std::function<void()> changed_;
  const std::function<void(std::string_view line)> warn_;
  mutable std::mutex mutex_;
  std::optional<LeaseRecord> record_;  // by the last good read
  Time read_at_;                       // its beginning
  Time until_;                         // the holder has it for so long at least
  absl::Status failed_;                // the read after it, or before there was one
  absl::Status told_;                  // what `changed_` was called for last
  std::string epoch_;
  bool is_missing_ = false;  // warned, and not seen since
  std::jthread thread_;
};

}  // namespace outrigger::desk
