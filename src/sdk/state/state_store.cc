#include "outrigger/agent/state_store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/k8s/string_map.h"
#include "state_file.h"
#include "state_form.h"

namespace outrigger::internal {
namespace {

// State in a file, for one that runs outside a cluster. The version is the file's own counter and
// a sum of its bytes, so that an edit by hand is another version. A file that says that it belongs
// to another agent is neither read nor written: FailedPrecondition. Of several processes one
// writes at a time.
class FileState final : public StateStore {
 public:
  FileState(std::string path, std::string agent)
      : path_(std::move(path)), agent_(std::move(agent)) {}

  absl::StatusOr<StoredState> Load(const CallLimits& limits) override;
  absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) override;
  std::string Place() const override { return "file " + path_; }

 private:
  absl::StatusOr<StoredState> Read(uint64_t* counter) const;
  absl::StatusOr<std::string> Replace(const StoredState& state, const CallLimits& limits) const;

  const std::string path_;
  const std::string agent_;
  Mutex mutex_;  // a lock of the folder is the process's
};

// FNV-1a of 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/.
uint64_t SumOf(std::string_view bytes) {
  constexpr uint64_t kOffset = 14695981039346656037U;
  constexpr uint64_t kPrime = 1099511628211U;
  uint64_t sum = kOffset;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * kPrime;
  return sum;
}

std::string VersionOf(uint64_t counter, std::string_view content) {
  return fmt::format("{}-{:016x}", counter, SumOf(content));
}

absl::StatusOr<StoredState> FileState::Read(uint64_t* counter) const {
  const auto content = ReadStateFile(path_);
  if (!content.ok()) return content.status();
  if (!content->has_value()) return StoredState();
  auto form = ParseState(**content);
  if (!form.ok()) return form.status();
  if (form->agent != agent_) {
    constexpr size_t kShown = 64;
    return absl::FailedPreconditionError(fmt::format(
        "it is the state of \"{}\", not of {}", Shortened(Printable(form->agent), kShown), agent_));
  }
  *counter = form->version;
  return StoredState{std::move(form->data), VersionOf(form->version, **content)};
}

absl::StatusOr<StoredState> FileState::Load(const CallLimits& /*limits*/) {
  uint64_t counter = 0;
  auto state = Read(&counter);
  if (!state.ok()) return At(Place(), state.status());
  return state;
}

absl::StatusOr<std::string> FileState::Save(const StoredState& state, const CallLimits& limits) {
  if (absl::Status wrong = CheckState(state); !wrong.ok()) return At(Place(), wrong);
  auto version = Replace(state, limits);
  if (!version.ok()) return At(Place(), version.status());
  return version;
}

absl::StatusOr<std::string> FileState::Replace(const StoredState& state,
                                               const CallLimits& limits) const {
  const std::string path = ResolvedStateFile(path_);
  const auto lock = FolderLock::Take(path, limits);
  if (!lock.ok()) return lock.status();
  uint64_t counter = 0;
  const auto stored = Read(&counter);
  const bool is_lost = absl::IsDataLoss(stored.status());
  if (!stored.ok() && !is_lost) return stored.status();
  const std::string there = is_lost ? "" : stored->version;
  if (state.version != there || (is_lost && !state.version.empty())) {
    return absl::AbortedError("another version is stored");
  }
  const std::string content =
      PrintState({.agent = agent_, .version = counter + 1, .data = state.data});
  if (absl::Status written = ReplaceStateFile(path, content); !written.ok()) return written;
  return VersionOf(counter + 1, content);
}

// The label of a ConfigMap with state; its value is the agent's name.
constexpr std::string_view kStateLabel = "outrigger.dev/state";

// State in the data of a ConfigMap; the version is its resource version. A map that says that it
// belongs to another agent is neither read nor written: FailedPrecondition.
class ConfigMapState final : public StateStore {
 public:
  // `maps` outlives this.
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

// State that ends with the process. `warn` is called once, with the first read: an agent that is
// made and not served says nothing.
class MemoryState final : public StateStore {
 public:
  explicit MemoryState(std::function<void()> warn) : warn_(std::move(warn)) {}

  absl::StatusOr<StoredState> Load(const CallLimits& limits) override;
  absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) override;
  std::string Place() const override { return "memory"; }

 private:
  Mutex mutex_;
  std::function<void()> warn_ ABSL_GUARDED_BY(mutex_);  // nullptr: done
  StoredState stored_ ABSL_GUARDED_BY(mutex_);
  uint64_t saves_ ABSL_GUARDED_BY(mutex_) = 0;
};

absl::StatusOr<StoredState> MemoryState::Load(const CallLimits& /*limits*/) {
  std::function<void()> warn;
  StoredState stored;
  {
    const MutexLock lock(mutex_);
    warn = std::exchange(warn_, nullptr);
    stored = stored_;
  }
  if (warn != nullptr) warn();
  return stored;
}

absl::StatusOr<std::string> MemoryState::Save(const StoredState& state,
                                              const CallLimits& /*limits*/) {
  if (absl::Status wrong = CheckState(state); !wrong.ok()) return At(Place(), wrong);
  const MutexLock lock(mutex_);
  if (state.version != stored_.version) {
    return At(Place(), absl::AbortedError("another version is stored"));
  }
  stored_.data = state.data;
  stored_.version = fmt::format("{}", ++saves_);
  return stored_.version;
}

}  // namespace

}  // namespace outrigger::internal

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
