#include "lab/plugins/default_binder.h"

#include "absl/status/status.h"
#include "fmt/core.h"

namespace outrigger::lab {

PluginStatus DefaultBinder::Bind(CycleState& /*state*/, const Pod& pod, const std::string& node) {
  const absl::Status bound = api_->Bind(pod, node);
  if (bound.ok()) return PluginStatus::Success();
  std::string reason = fmt::format("binding rejected: {}", std::string(bound.message()));
  if (absl::IsAborted(bound) || absl::IsNotFound(bound)) return PluginStatus::NotNeeded(reason);
  return PluginStatus::Error(reason);
}

}  // namespace outrigger::lab
