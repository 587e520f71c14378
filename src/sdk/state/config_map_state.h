#pragma once

#include <string>

#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/state_store.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger::internal {

/// The label of a ConfigMap with state; its value is the agent's name.
inline constexpr std::string_view kStateLabel = "outrigger.dev/state";

/// State in the data of a ConfigMap; the version is its resource version. A map that says that it
/// belongs to another agent is neither read nor written: FailedPrecondition.
class ConfigMapState final : public StateStore {
 public:
  /// `maps` outlives this.
  ConfigMapState(ConfigMapAccess* maps, std::string name_space, std::string name,
                 std::string agent);

  absl::StatusOr<StoredState> Load(const CallLimits& limits) override;
  absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) override;
  std::string Place() const override;

 private:
  absl::Status CheckOwner(const StringMap& labels) const;
  void Remember(const ConfigMap& map);

  ConfigMapAccess* const maps_;
  const std::string namespace_;
  const std::string name_;
  const std::string agent_;
  Mutex mutex_;
  // Of the map that was read or written last: a write keeps what others gave it.
  std::string known_version_ ABSL_GUARDED_BY(mutex_);
  StringMap known_labels_ ABSL_GUARDED_BY(mutex_);
  std::string known_rest_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::internal
