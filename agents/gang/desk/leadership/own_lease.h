#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/base/thread_annotations.h"
#include "gang/desk/leadership.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/elections.h"
#include "outrigger/base/mutex.h"

namespace outrigger::desk {

/// The writes of this process that are under way in a term of it. Thread-safe; outlives them.
class TermWrites {
 public:
  /// One that takes `limits`, and ends with `term`, too.
  WritePermit Begin(const CallLimits& limits, const std::stop_token& term);
  /// Returns when none is under way. None may begin any more.
  void AwaitNone();

 private:
  class Write;

  Mutex mutex_;
  std::condition_variable_any ended_;
  size_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;
};

/// Where no scheduler calls: the replicas stand for a Lease of their own, and its holder acts. The
/// term ends at the renew deadline at the latest, which Now() sees by the clock, and so do writes
/// that have begun; it is given back once none of them is under way. Each term is an epoch. Ask()
/// makes no call.
class OwnLease final : public Leadership {
 public:
  /// `changed` is called, from a thread of the election, once it has become or ceased to be in
  /// charge, or another one holds the Lease. `elections` outlives this.
  OwnLease(Elections* elections, LeaseClaim claim, std::function<void()> changed);
  ~OwnLease() override;
  OwnLease(const OwnLease&) = delete;
  OwnLease& operator=(const OwnLease&) = delete;

  absl::Status Start() override;
  void Stop() override;
  absl::Status Now() const override;
  std::string Epoch() const override;
  absl::StatusOr<WritePermit> MayWrite(const CallLimits& limits) override;
  absl::Status Ask(const CallLimits& limits) override;
  bool IsHeldByAnother() const override;

 private:
  void Lead(const std::stop_token& term);
  void OnHolder(const std::string& holder);
  bool Leads() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return TimeLeft().count() > 0; }
  std::chrono::milliseconds TimeLeft() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NotInCharge() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Elections* const elections_;
  const LeaseClaim claim_;
  const std::function<void()> changed_;

  mutable Mutex mutex_;
  std::optional<std::string> holder_ ABSL_GUARDED_BY(mutex_);  // as last seen; empty: there is none
  std::string identity_ ABSL_GUARDED_BY(mutex_);               // ours; empty: never held
  std::optional<std::stop_token> term_ ABSL_GUARDED_BY(mutex_);
  uint64_t terms_ ABSL_GUARDED_BY(mutex_) = 0;  // that have begun
  TermWrites writes_;
  std::unique_ptr<Candidacy> candidacy_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::desk
