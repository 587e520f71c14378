#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "outrigger/agent/elections.h"

namespace outrigger::testing {

/// Elections whose Lease the test gives and takes. One candidate at a time stands for it; what it
/// does as leader runs on a thread of its own. Thread-safe; must outlive the candidate.
class FakeElections final : public Elections {
 public:
  FakeElections() = default;

  absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim claim,
                                                   ElectionCallbacks callbacks) override;

  /// Gives the candidate the Lease: `lead` runs. A candidate that stands later gets it as well,
  /// until Take().
  void Give();
  /// Takes the Lease: stop is requested. Returns when `lead` has returned, and `holder` has been
  /// reported as the new one.
  void Take(const std::string& holder = "another");
  /// What is left until the renew deadline of each term; zero: it is over, which the election has
  /// not come to end yet. Nothing, as at first: the claim's renew deadline, renewed all the time.
  void SetTimeLeft(std::optional<std::chrono::milliseconds> left);
  void SetOverdue(bool overdue) {
    SetTimeLeft(overdue ? std::optional(std::chrono::milliseconds(0)) : std::nullopt);
  }
  /// Whether there is a candidate.
  bool IsStoodFor() const;
  /// What was claimed last.
  LeaseClaim claim() const;

 private:
  class Candidate;
  // With the lock: starts or ends a term.
  void Begin();
  void End(std::unique_lock<std::mutex>* lock);

  mutable std::mutex mutex_;
  LeaseClaim claim_;
  ElectionCallbacks callbacks_;
  std::string leader_;
  bool is_given_ = false;
  std::optional<std::chrono::milliseconds> time_left_;
  bool stands_ = false;
  std::jthread term_;
};

}  // namespace outrigger::testing
