#pragma once

#include <memory>
#include <mutex>
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
  /// The candidate's term is past its renew deadline, which the election has not ended yet.
  void SetOverdue(bool overdue);
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
  bool is_overdue_ = false;
  bool stands_ = false;
  std::jthread term_;
};

}  // namespace outrigger::testing
