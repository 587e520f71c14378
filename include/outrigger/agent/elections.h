#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"

namespace outrigger {

/// The coordination.k8s.io Lease for which an agent stands.
struct LeaseClaim {
  std::string namespace_;
  std::string name;
  /// Unique among the candidates; empty: made of the host's name and a random part.
  std::string identity = {};
  /// As client-go's: they must decrease, the second by at least a second.
  std::chrono::seconds lease_duration{15};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

/// What is reported of an election, from threads of its own, one call at a time.
struct ElectionCallbacks {
  /// The Lease is ours: runs all that the leader does, and returns soon once stop is requested.
  /// That comes at the latest when the renew deadline is over. Calls that carry `term` as their
  /// stop token are not sent any more then; a late one that was sent needs preconditions. Called
  /// for each term again.
  std::function<void(std::stop_token term)> lead;
  /// Another one holds it: `holder`; empty: none. May be null.
  std::function<void(const std::string& holder)> on_new_leader = nullptr;
};

/// A candidate, as long as it lives: waits for the Lease, leads, and waits again after a loss. Its
/// destructor ends the term, waits for `lead`, and gives the Lease back. Thread-safe.
class Candidacy {
 public:
  virtual ~Candidacy() = default;
  /// Returns what is left until the renew deadline, by the clock, also where the term's thread is
  /// late: the last moment of the term, unless the Lease is renewed before. Zero: it does not lead.
  virtual std::chrono::steady_clock::duration TimeLeft() const = 0;
  bool IsLeader() const { return TimeLeft() > std::chrono::steady_clock::duration::zero(); }
  /// The holder as last seen; empty: none, or not known.
  virtual std::string Leader() const = 0;
};

/// Stands for election. Rights: get, update of the Lease by name, and create.
class Elections {
 public:
  virtual ~Elections() = default;
  /// InvalidArgument names the field of the claim. What goes wrong later is logged.
  virtual absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim claim,
                                                           ElectionCallbacks callbacks) = 0;
};

}  // namespace outrigger
