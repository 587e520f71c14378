#pragma once

#include <string>
#include <string_view>

#include "lab/framework/handle.h"
#include "lab/framework/plugins.h"

namespace outrigger::lab {

/// Bind: writes the pod's node to the API server, as kube-scheduler's plugin of that name does.
class DefaultBinder final : public BindPlugin {
 public:
  /// Outlives this.
  explicit DefaultBinder(SchedulerApi* api) : api_(api) {}

  std::string_view Name() const override { return "DefaultBinder"; }
  PluginStatus Bind(CycleState& state, const Pod& pod, const std::string& node) override;

 private:
  SchedulerApi* const api_;
};

}  // namespace outrigger::lab
