#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kube/api.h"
#include "kube/lease/leader_election.h"
#include "outrigger/base/clock.h"
#include "stage.h"

namespace outrigger::kube_actor {

/// Stands for election as long as it lives, and is on a stage while it leads. Thread-safe.
class Candidate {
 public:
  explicit Candidate(const std::string& stage) : stage_(stage) {}

  /// Begins; once. `api` outlives this.
  absl::Status Stand(kube::Api* api, kube::LeaseOptions options, Clock clock);
  /// {"leading":bool,"leader":"...","terms":N,"overlaps":N,"warnings":[...]}; overlaps are terms
  /// that began while another one was on the stage.
  std::string Line();

 private:
  void Lead(std::stop_token term);

  Stage stage_;
  std::mutex mutex_;  // guards what follows
  uint64_t terms_ = 0;
  uint64_t overlaps_ = 0;
  std::vector<std::string> warnings_;
  std::unique_ptr<kube::LeaderElection> election_;  // last: its threads use all of the above
};

}  // namespace outrigger::kube_actor
