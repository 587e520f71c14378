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

/// Limit for the total bytes of keys and texts in a StoredState: 1 MiB, the limit of the API
/// server, minus room for the rest of a ConfigMap.
inline constexpr size_t kMostStateBytes = size_t{900} * 1024;

/// What an agent has stored. A plain value.
struct StoredState {
  /// Keys are as those of a ConfigMap: at most 253 letters, digits, '-', '_' and '.', and neither
  /// "." nor starting with "..". Texts are UTF-8.
  std::map<std::string, std::string, std::less<>> data;
  /// The version of this state: pass it back unread. Empty: nothing is stored yet.
  std::string version;
  friend bool operator==(const StoredState&, const StoredState&) = default;
};

/// State of an agent that outlives the process: texts by key, read with their version and written
/// to that version only, so that the later of two writers gets an error. Thread-safe. Calls block
/// and are not subject to the client's rate limit.
///
/// A save to a ConfigMap keeps foreign labels, annotations, owner references, finalizers and binary
/// data, and removes keys of `data` that the state does not have.
///
/// What the texts say is the agent's: people may edit them and other versions of the program may
/// have written them, so an agent reads them as it reads any input.
///
/// Further errors depend on the medium: for a ConfigMap those of ConfigMapAccess; for a file
/// PermissionDenied, FailedPrecondition (missing folder, not a regular file), ResourceExhausted
/// (disk full) and Unavailable. FailedPrecondition is also the state of another agent, which is
/// neither read nor written. Each names Place().
class StateStore {
 public:
  virtual ~StateStore() = default;

  /// Returns the stored state; no texts and an empty version if there is none. DataLoss: the stored
  /// data is not a state; it stays until a Save() without a version replaces it.
  virtual absl::StatusOr<StoredState> Load(const CallLimits& limits) = 0;
  /// Replaces the version `state.version` by `state.data`, and returns the new version. With an
  /// empty version it creates the state, or replaces data for which Load() returned DataLoss.
  /// Aborted: another version is stored, or none. InvalidArgument: more than kMostStateBytes, or an
  /// invalid key or text. After Unavailable, DeadlineExceeded or Cancelled it may have succeeded:
  /// call Load() to find out.
  virtual absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) = 0;
  /// Where it is stored, for messages: "ConfigMap kube-system/outrigger-reward", "file
  /// /var/lib/outrigger/reward", "memory".
  virtual std::string Place() const = 0;
};

/// Where an agent keeps its state.
struct StateStoreOptions {
  std::string namespace_ = "kube-system";  // of the ConfigMap
  std::string config_map = {};             // its name; empty: StateConfigMap() of the agent
  std::string file = {};                   // the setting --<agent>.state; empty: none
};

/// Returns the store of `deps.name`: the file if one is named, else the ConfigMap if there is a
/// cluster, else memory. For memory the first Load() logs a warning. Makes no call and opens no
/// file. InvalidArgument: the name of the namespace or ConfigMap is not valid in Kubernetes.
/// Objects in `deps` outlive the store.
absl::StatusOr<std::unique_ptr<StateStore>> MakeStateStore(const StateStoreOptions& options,
                                                           const AgentDeps& deps);

/// The name of the ConfigMap in which an agent keeps its state: "outrigger-reward".
std::string StateConfigMap(std::string_view agent);

/// What a store in the ConfigMap `config_map` does at the API server: for the agent's Access(). All
/// of it is in the agent's own namespace.
std::vector<AccessRule> StateStoreAccess(std::string_view config_map);

}  // namespace outrigger
