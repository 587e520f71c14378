#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/lease/lock.h"
#include "kube/transport/retry.h"
#include "outrigger/agent/elections.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::kube {

/// What is reported of an election; called from its thread, one at a time.
struct LeaderCallbacks {
  /// The lease is ours. Runs what the leader does, and must return soon once stop is requested:
  /// another one may be leading by then. Called on a thread of its own, for each term anew.
  std::function<void(std::stop_token term)> lead;
  /// Another one leads now: `holder`, or nobody if empty. May be null.
  std::function<void(const std::string& holder)> on_new_leader = nullptr;
  /// What an operator should know, in a line. May be null.
  std::function<void(const std::string& line)> warn = nullptr;
};

/// Stands for election as long as it lives: waits for the lease, leads, keeps it, and waits again
/// when it was lost. At most one process leads at a time, as far as the clocks of two machines run
/// at one speed (client-go's promise). Thread-safe.
class LeaderElection {
 public:
  /// InvalidArgument as CheckLeaseOptions() says, and for a missing `lead`. `api` outlives this.
  static absl::StatusOr<std::unique_ptr<LeaderElection>> Start(Api* api, LeaseOptions options,
                                                               LeaderCallbacks callbacks,
                                                               Clock clock = {},
                                                               Random random = SystemRandom);
  /// Ends the term, waits for `lead` to return, and gives the lease back.
  ~LeaderElection();
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  /// Returns what is left until the renew deadline, by the clock, whatever the thread is at. Zero:
  /// this does not lead.
  Clock::Duration TimeLeft() const;
  bool IsLeader() const { return TimeLeft() > Clock::Duration::zero(); }
  /// Who leads, as last seen; empty: nobody, or not known yet.
  std::string Leader() const;

 private:
  LeaderElection(Api* api, LeaseOptions options, LeaderCallbacks callbacks, Clock clock,
                 Random random);
  void Run(const std::stop_token& stop);
  bool Acquire(const std::stop_token& stop);
  void Lead(const std::stop_token& stop);
  std::string Renew(const std::stop_token& stop);
  void GiveBack();
  void Renewed(Clock::TimePoint asked);
  Clock::TimePoint Deadline() const;
  void Note(bool leading);
  void Warn(const std::string& line) const;

  const LeaseOptions options_;
  const LeaderCallbacks callbacks_;
  const Clock clock_;
  const Random random_;
  LeaseLock lock_;  // of the thread alone
  mutable Mutex mutex_;
  // When the try that got or kept the lease began.
  Clock::TimePoint renewed_ ABSL_GUARDED_BY(mutex_);
  bool leading_ ABSL_GUARDED_BY(mutex_) = false;
  std::string leader_ ABSL_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: uses all of the above
};

/// What Elections::Stand() promises, by LeaderElection. `warn` is what an operator should know, in
/// a line; may be empty. `api` outlives the candidacy.
absl::StatusOr<std::unique_ptr<Candidacy>> StandForElection(
    Api* api, LeaseClaim claim, ElectionCallbacks callbacks,
    std::function<void(const std::string& line)> warn, Clock clock);

}  // namespace outrigger::kube
