#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "outrigger/agent/elections.h"
#include "outrigger/base/clock.h"

namespace outrigger::cli {

/// What is done by the holder of a Lease.
struct LeaseTask {
  LeaseClaim claim;                // with an identity
  std::chrono::milliseconds wait;  // for the Lease, at most
  /// Runs once, on another thread. Calls that carry `term` as their stop token are not sent once
  /// the Lease may be another one's.
  std::function<absl::Status(const std::stop_token& term)> work;
  /// Is called, from another thread, when another one is seen to hold the Lease.
  std::function<void(const std::string& holder)> on_other_holder;
  /// What to do about a holder that keeps the Lease.
  std::string cure =
      "stop the agent, also next to schedulers (kubectl -n kube-system scale deployment "
      "outrigger-penalty outrigger --replicas=0), or wait longer (--wait SECONDS)";
};

/// Stands for election, does the work as soon as the Lease is held, gives it back, and returns what
/// the work returned. Blocks. DeadlineExceeded: the Lease could not be acquired within time, the
/// text names its holder, and nothing was done. InvalidArgument names the field of the claim.
absl::Status HoldingLease(Elections* elections, LeaseTask task, const Clock& clock);

}  // namespace outrigger::cli
