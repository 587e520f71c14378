#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"

namespace outrigger {

/// The coordination.k8s.io Lease for which an agent is a candidate.
struct LeaseClaim {
  std::string namespace_;
  std::string name;
  /// Unique among the candidates; empty: the host name with a random suffix.
  std::string identity = {};
  /// As in client-go: they must decrease, and the second is at least one second shorter than the
  /// first.
  std::chrono::seconds lease_duration{15};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

/// Callbacks of an election; it calls them from its own threads, one call at a time.
struct ElectionCallbacks {
  /// We hold the Lease: does the leader's work, and returns soon after stop is requested, which
  /// happens at the renew deadline at the latest. Calls with `term` as their stop token are not
  /// sent after that; a call sent just before needs preconditions. Called once per term.
  std::function<void(std::stop_token term)> lead;
  /// Another candidate, `holder`, has the Lease; empty: none has it. May be null.
  std::function<void(const std::string& holder)> on_new_leader = nullptr;
};

/// A candidate, as long as it lives: waits for the Lease, leads, and waits again after it lost the
/// Lease. Its destructor ends the term, waits for `lead`, and releases the Lease. Thread-safe.
class Candidacy {
 public:
  virtual ~Candidacy() = default;
  /// Returns the time left until the renew deadline, by the clock, even if the term's thread is
  /// late. The term ends then unless the Lease is renewed. Zero: it does not lead.
  virtual std::chrono::steady_clock::duration TimeLeft() const = 0;
  bool IsLeader() const { return TimeLeft() > std::chrono::steady_clock::duration::zero(); }
  /// The holder as last seen; empty: none, or not known.
  virtual std::string Leader() const = 0;
};

/// Runs for leader election. Rights: get and update of the Lease by name, and create.
class Elections {
 public:
  virtual ~Elections() = default;
  /// InvalidArgument names the field of the claim. Later errors are logged.
  virtual absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim claim,
                                                           ElectionCallbacks callbacks) = 0;
};

}  // namespace outrigger
