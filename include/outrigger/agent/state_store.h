#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/access.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/call_limits.h"

namespace outrigger {

/// Keys and texts of a StoredState may not have more bytes than this in sum: what the API server
/// takes (1 MiB) less room for the rest of a ConfigMap.
inline constexpr size_t kMostStateBytes = size_t{900} * 1024;

/// What an agent has stored. A plain value.
struct StoredState {
  /// Keys are as those of a ConfigMap: at most 253 letters, digits, '-', '_' and '.', and neither
  /// "." nor starting with "..". Texts are UTF-8.
  std::map<std::string, std::string, std::less<>> data;
  /// Which state this is: to be handed back, not read. Empty: nothing is stored yet.
  std::string version;
  friend bool operator==(const StoredState&, const StoredState&) = default;
};

/// State of an agent that outlives the process: texts by key, read with their version and written
/// to that version only, so that of two writers one hears that it was late. Thread-safe. Calls
/// block, and go past the client's rate limit.
///
/// Of a ConfigMap, a save keeps labels, annotations, owner references, finalizers and binary data
/// that others gave it, and removes keys of `data` that the state does not have.
///
/// What the texts say is the agent's: people may edit them and other versions of the program may
/// have written them, so an agent reads them as it reads any input.
///
/// Other errors than those below are those of the medium: of a ConfigMap those of ConfigMapAccess,
/// of a file PermissionDenied, FailedPrecondition (a folder that is missing, no regular file),
/// ResourceExhausted (the disk is full) and Unavailable. FailedPrecondition is also the state of
/// another agent, which is neither read nor written. Each names Place().
class StateStore {
 public:
  virtual ~StateStore() = default;

  /// What is stored: no texts and an empty version where nothing is. DataLoss: something is there
  /// that cannot be read as a state; it stays until a Save() without a version has replaced it.
  virtual absl::StatusOr<StoredState> Load(const CallLimits& limits) = 0;
  /// Stores `state.data` in the place of the version `state.version`, and returns the new version.
  /// With an empty version it creates, and replaces what Load() calls lost. Aborted: another
  /// version is stored, or none. InvalidArgument: more than kMostStateBytes, or a key or a text
  /// that is not accepted. After Unavailable, DeadlineExceeded or Cancelled it may have happened:
  /// Load() tells.
  virtual absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) = 0;
  /// Where it is stored, for people: "ConfigMap kube-system/outrigger-reward",
  /// "file /var/lib/outrigger/reward", "memory".
  virtual std::string Place() const = 0;
};

/// Where an agent keeps its state.
struct StateStoreOptions {
  std::string namespace_ = "kube-system";  // of the ConfigMap
  std::string config_map = {};             // its name; empty: StateConfigMap() of the agent
  std::string file = {};                   // the setting --<agent>.state; empty: none
};

/// Returns the store of `deps.name`: the file where one is named, else the ConfigMap where there is
/// a cluster, else memory. For memory the first Load() logs a warning. Makes no call and opens no
/// file.
/// InvalidArgument: a name of a namespace or ConfigMap that Kubernetes does not accept. What `deps`
/// points to outlives the store.
absl::StatusOr<std::unique_ptr<StateStore>> MakeStateStore(const StateStoreOptions& options,
                                                           const AgentDeps& deps);

/// The name of the ConfigMap in which an agent keeps its state: "outrigger-reward".
std::string StateConfigMap(std::string_view agent);

/// What a store in the ConfigMap `config_map` does at the API server: for the agent's Access(). All
/// of it is in the agent's own namespace.
std::vector<AccessRule> StateStoreAccess(std::string_view config_map);

}  // namespace outrigger
