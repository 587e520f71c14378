#include "outrigger/agent/state_store.h"

#include "config_map_state.h"
#include "file_state.h"
#include "fmt/format.h"
#include "memory_state.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger {
namespace {

absl::Status NotAccepted(std::string_view what, std::string_view name) {
  constexpr size_t kShown = 64;
  return absl::InvalidArgumentError(fmt::format("\"{}\" is not accepted; expected the name of a {}",
                                                Shortened(Printable(name), kShown), what));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StateStore>> MakeStateStore(const StateStoreOptions& options,
                                                           const AgentDeps& deps) {
  if (!options.file.empty()) {
    return std::make_unique<internal::FileState>(options.file, deps.name);
  }
  const std::string name =
      options.config_map.empty() ? StateConfigMap(deps.name) : options.config_map;
  if (!IsDnsLabel(options.namespace_)) return NotAccepted("namespace", options.namespace_);
  if (!IsDnsSubdomain(name)) return NotAccepted("ConfigMap", name);
  if (deps.cluster != nullptr) {
    return std::make_unique<internal::ConfigMapState>(deps.cluster, options.namespace_, name,
                                                      deps.name);
  }
  return std::make_unique<internal::MemoryState>([warn = deps.warn, name = deps.name] {
    warn(
        fmt::format("agent {} keeps its state in memory and loses it at a restart: there is no "
                    "cluster, and --{}.state is not set",
                    name, name));
  });
}

std::string StateConfigMap(std::string_view agent) {
  return fmt::format("outrigger-{}", agent);
}

std::vector<AccessRule> StateStoreAccess(std::string_view config_map) {
  return {
      {.api_group = "",
       .resource = "configmaps",
       .verbs = {"get", "update"},
       .names = {std::string(config_map)},
       .in_own_namespace = true},
      {.api_group = "", .resource = "configmaps", .verbs = {"create"}, .in_own_namespace = true}};
}

}  // namespace outrigger
