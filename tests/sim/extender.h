#pragma once

#include <span>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/agent/stages.h"

namespace outrigger::sim {

/// What the scheduler calls: the agent, or something that breaks a rule of it.
class Extender {
 public:
  virtual ~Extender() = default;
  virtual absl::Status Filter(const Request& request, std::span<Verdict> verdicts) = 0;
  virtual absl::Status Score(const Request& request, std::span<NodeScore> scores) = 0;
  virtual absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) = 0;
};

}  // namespace outrigger::sim
