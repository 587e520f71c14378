#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger {

/// A ConfigMap in which an agent keeps state. A plain value.
struct ConfigMap {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
  StringMap labels;
  /// Keys are at most 253 letters, digits, '-', '_' and '.'. All together at most 1 MiB.
  std::map<std::string, std::string, std::less<>> data;
  /// What else the API server has of it, as JSON: annotations, owner references, finalizers, binary
  /// data. To be handed back, not read: a write that replaces a version removes what is not in it.
  /// Empty: there is nothing.
  std::string rest;
  friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

/// State that outlives the process. Each write names the version that it replaces, so that of two
/// writers one hears that it was late. Thread-safe; calls block and go past the client's rate
/// limit. Writes are sent once only. Errors as those of PriorityClassAccess.
class ConfigMapAccess {
 public:
  virtual ~ConfigMapAccess() = default;

  /// NotFound.
  virtual absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_,
                                                  std::string_view name,
                                                  const CallLimits& limits) = 0;
  /// Writes labels and data, and returns what the API server has then. Without a resource_version
  /// it creates, without the rest (AlreadyExists: it is there); with one it replaces that version,
  /// with the rest but for binary data under a key of `data` (Aborted: there is another one;
  /// NotFound).
  virtual absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map,
                                                   const CallLimits& limits) = 0;
  /// Deletes the one of that UID in that version. NotFound; Aborted: another one, or it changed.
  virtual absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) = 0;
};

}  // namespace outrigger
