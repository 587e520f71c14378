#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "gang/desk/leadership.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::desk {

/// A coordination.k8s.io Lease.
struct LeaseName {
  std::string namespace_;
  std::string name;  // empty: there is none

  std::string Text() const { return fmt::format("{}/{}", namespace_, name); }
};

/// The Lease that a setting names: "namespace/name". InvalidArgument for anything else; `accepted`
/// ends that text.
absl::StatusOr<LeaseName> ReadLeaseName(std::string_view setting, const std::string& text,
                                        std::string_view accepted);

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
  void NoteGood(const LeaseRecord& read, Time began) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WarnIfMissing(const absl::Status& read);
  absl::Status NowLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsMine(const std::string& holder) const;
  std::string Missing() const;

  ClusterReader* const cluster_;
  const Options options_;
  const std::function<void()> changed_;
  const std::function<void(std::string_view line)> warn_;
  mutable Mutex mutex_;
  std::optional<LeaseRecord> record_ ABSL_GUARDED_BY(mutex_);  // by the last good read
  Time read_at_ ABSL_GUARDED_BY(mutex_);                       // its beginning
  Time until_ ABSL_GUARDED_BY(mutex_);           // the holder has it for so long at least
  absl::Status failed_ ABSL_GUARDED_BY(mutex_);  // the read after it, or before there was one
  absl::Status told_ ABSL_GUARDED_BY(mutex_);    // what `changed_` was called for last
  std::string epoch_ ABSL_GUARDED_BY(mutex_);
  bool is_missing_ ABSL_GUARDED_BY(mutex_) = false;  // warned, and not seen since
  std::jthread thread_;
};

}  // namespace outrigger::desk
