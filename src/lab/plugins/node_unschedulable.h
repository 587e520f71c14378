#pragma once

#include <string_view>
#include <vector>

#include "lab/framework/plugins.h"

namespace outrigger::lab {

/// Filter: nothing goes to a node that is cordoned, unless the pod tolerates it. As
/// kube-scheduler's plugin of that name.
class NodeUnschedulable final : public FilterPlugin {
 public:
  std::string_view Name() const override { return "NodeUnschedulable"; }
  PluginStatus Filter(CycleState& state, const Pod& pod, const Node& node) override;
  std::vector<ClusterEvent> EventsToRegister() const override;
};

}  // namespace outrigger::lab
