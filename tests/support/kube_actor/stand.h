#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/elections.h"

namespace outrigger::kube_actor {

/// Stands for a Lease through what agents get for that. Thread-safe but for Begin() and End().
class Stand {
 public:
  /// Begins with short times and an identity that is made; ends a stand before. `elections`
  /// outlives this.
  absl::Status Begin(Elections* elections, const std::string& namespace_, const std::string& name);
  /// Resigns.
  void End();
  /// {"leading":bool,"leader":"...","terms":N,"leaders":["...",...]}
  nlohmann::json Report();

 private:
  void Lead(const std::stop_token& term);

  std::mutex mutex_;  // guards what follows
  uint64_t terms_ = 0;
  std::vector<std::string> leaders_;
  std::unique_ptr<Candidacy> candidacy_;  // last: its threads use all of the above
};

}  // namespace outrigger::kube_actor
