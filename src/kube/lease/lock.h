#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// Which Lease, and on whose behalf.
struct LeaseOptions {
  std::string namespace_;
  std::string name;
  std::string identity;  // unique among those who want the lease: the pod's name and a random part
  /// How long others wait, from when they last saw the lease change, before they take it.
  std::chrono::seconds lease_duration{15};
  /// How long the holder tries to renew before it gives up; at least a second below
  /// lease_duration, so that it has stopped when another may begin: client-go's candidates judge
  /// by whole seconds.
  std::chrono::milliseconds renew_deadline{10'000};
  /// Pause between two tries; those who wait take up to 1.2 times as long more.
  std::chrono::milliseconds retry_period{2'000};
};

/// InvalidArgument names the field: the three times must decrease, as client-go's do.
absl::Status CheckLeaseOptions(const LeaseOptions& options);

/// One try at a time to get or keep a coordination.k8s.io/v1 Lease, as client-go's leader election
/// does it, so that both can stand for one lease.
///
/// Clocks of other machines are not believed: a lease of somebody else is expired when *this*
/// process has seen no change of it for its duration. Not thread-safe.
class LeaseLock {
 public:
  /// `api` outlives this.
  LeaseLock(Api* api, LeaseOptions options, Clock clock);

  /// Gets or renews the lease, in `timeout` altogether. Ok(true): it is ours until further notice.
  /// Ok(false): another one holds it, see holder(). An error: not known; it may have been renewed.
  absl::StatusOr<bool> TryAcquireOrRenew(std::chrono::milliseconds timeout, std::stop_token stop);

  /// Gives the lease back, if it is or may be ours, so that the next one need not wait for it to
  /// expire.
  absl::Status Release(std::chrono::milliseconds timeout);

  /// Who holds it, as last seen; empty: nobody, or not known.
  const std::string& holder() const { return seen_.holder; }

 private:
  struct Record {
    std::string holder;
    std::string json;  // the object as the server has it; empty: there is none
    std::chrono::seconds duration{0};
    int64_t transitions = 0;
  };

  absl::StatusOr<Record> Read(std::chrono::milliseconds timeout, std::stop_token stop) const;
  absl::StatusOr<bool> Write(const std::string& json, bool create,
                             std::chrono::milliseconds timeout, std::stop_token stop);
  std::string Claim(const Record& record) const;
  absl::Status WriteReleased(const Record& record, Clock::TimePoint end);
  absl::Status Forget();
  void See(Record record);
  bool HeldByOther() const;

  Api* const api_;
  const LeaseOptions options_;
  const Clock clock_;
  Record seen_;
  Clock::TimePoint seen_at_;  // when seen_ was first seen as it is
  bool may_hold_ = false;     // a claim was sent, and nothing seen since that says otherwise
};

}  // namespace outrigger::kube
