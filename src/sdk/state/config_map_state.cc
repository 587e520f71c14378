#include "config_map_state.h"

#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "state_rules.h"

namespace outrigger::internal {

ConfigMapState::ConfigMapState(ConfigMapAccess* maps, std::string name_space, std::string name,
                               std::string agent)
    : maps_(maps),
      namespace_(std::move(name_space)),
      name_(std::move(name)),
      agent_(std::move(agent)) {}

std::string ConfigMapState::Place() const {
  return fmt::format("ConfigMap {}/{}", namespace_, name_);
}

// A map without the label is one that a person made or changed.
absl::Status ConfigMapState::CheckOwner(const StringMap& labels) const {
  const std::string_view owner = labels.Get(kStateLabel);
  if (owner.empty() || owner == agent_) return absl::OkStatus();
  constexpr size_t kShown = 64;
  return absl::FailedPreconditionError(
      fmt::format("its label {} marks it as the state of \"{}\", not of {}", kStateLabel,
                  Shortened(Printable(owner), kShown), agent_));
}

void ConfigMapState::Remember(const ConfigMap& map) {
  const MutexLock lock(mutex_);
  known_version_ = map.resource_version;
  known_labels_ = map.labels;
  known_rest_ = map.rest;
}

absl::StatusOr<StoredState> ConfigMapState::Load(const CallLimits& limits) {
  auto map = maps_->ReadConfigMap(namespace_, name_, limits);
  if (absl::IsNotFound(map.status())) return StoredState();
  if (!map.ok()) return At(Place(), map.status());
  if (absl::Status wrong = CheckOwner(map->labels); !wrong.ok()) return At(Place(), wrong);
  Remember(*map);
  return StoredState{std::move(map->data), std::move(map->resource_version)};
}

absl::StatusOr<std::string> ConfigMapState::Save(const StoredState& state,
                                                 const CallLimits& limits) {
  if (absl::Status wrong = CheckState(state); !wrong.ok()) return At(Place(), wrong);
  ConfigMap map;
  map.namespace_ = namespace_;
  map.name = name_;
  map.resource_version = state.version;
  {
    const MutexLock lock(mutex_);
    if (!state.version.empty() && state.version == known_version_) {
      map.labels = known_labels_;
      map.rest = known_rest_;
    }
  }
  map.labels.Set(kStateLabel, agent_);
  map.data = state.data;
  const auto written = maps_->WriteConfigMap(map, limits);
  if (absl::IsAlreadyExists(written.status())) {
    return At(Place(), absl::AbortedError("it was created by another writer"));
  }
  if (absl::IsNotFound(written.status())) {
    return At(Place(), absl::AbortedError("it no longer exists"));
  }
  if (!written.ok()) return At(Place(), written.status());
  Remember(*written);
  return written->resource_version;
}

}  // namespace outrigger::internal
