#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extender.h"
#include "gang/desk/desk.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/shared.h"
#include "timeline.h"

namespace outrigger::sim {

/// The agent qos as the program makes it, with a desk that plans when the simulation says so. Not
/// thread-safe.
class AgentDriver final : public Extender {
 public:
  /// Both outlive this.
  AgentDriver(ClusterAccess* cluster, const Timeline* timeline);
  ~AgentDriver() override { Stop(); }
  AgentDriver(const AgentDriver&) = delete;
  AgentDriver& operator=(const AgentDriver&) = delete;

  /// The process ends, and calls fail.
  void Stop();
  /// A new one starts, which knows nothing.
  void Start();

  /// When the desk plans next, unless something changes before; nothing: not by itself.
  std::optional<Time> NextStep();
  void Step();
  size_t steps() const { return steps_; }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) override;
  absl::Status Score(const Request& request, std::span<NodeScore> scores) override;
  absl::Status Preempt(const PreemptRequest& request, std::vector<NodeVictims>* chosen) override;

 private:
  ClusterAccess* const cluster_;
  const Timeline* const timeline_;
  SharedParts shared_;
  std::shared_ptr<desk::Desk> desk_;
  std::unique_ptr<Agent> agent_;
  std::optional<Time> due_;  // of the step for what has changed
  size_t steps_ = 0;
};

}  // namespace outrigger::sim
