#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/framework/plugins.h"
#include "lab/framework/timers.h"
#include "lab/framework/waiting_pods.h"

namespace outrigger::lab {

/// The last character of a name, if it is a digit: 1 of "pod1".
std::optional<int> LastDigitOf(std::string_view name);

/// A plugin for learning. PreScore and Score: a node is better if its name ends in the same digit
/// as the pod's. Permit: a node that ends in d lets the pod wait d seconds.
class NodeNumber final : public PreScorePlugin, public ScorePlugin, public PermitPlugin {
 public:
  static constexpr std::string_view kName = "NodeNumber";
  /// What a node scores whose digit is the pod's; all others score 0.
  static constexpr int64_t kSameDigit = 10;
  /// A pod that waits longer is rejected.
  static constexpr std::chrono::seconds kPermitTimeout{10};

  /// Both outlive this.
  NodeNumber(Timers* timers, WaitingPods* waiting_pods)
      : timers_(timers), waiting_pods_(waiting_pods) {}

  std::string_view Name() const override { return kName; }
  PluginStatus PreScore(CycleState& state, const Pod& pod, const NodeList& nodes) override;
  absl::StatusOr<int64_t> Score(CycleState& state, const Pod& pod, const Node& node) override;
  Answer Permit(CycleState& state, const Pod& pod, const std::string& node) override;
  std::vector<ClusterEvent> EventsToRegister() const override;

 private:
  Timers* const timers_;
  WaitingPods* const waiting_pods_;
};

}  // namespace outrigger::lab
