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
  /// The other fields of the object as JSON: annotations, owner references, finalizers, binary
  /// data. Pass it back unread: a write that replaces a version removes all that is not in it.
  /// Empty: no other fields.
  std::string rest;
  friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

/// State that outlives the process. Each write names the version that it replaces, so that the
/// later of two writers gets an error. Thread-safe; calls block and are not subject to the client's
/// rate limit. Writes are never retried. Errors as those of PriorityClassAccess.
class ConfigMapAccess {
 public:
  virtual ~ConfigMapAccess() = default;

  /// NotFound.
  virtual absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_,
                                                  std::string_view name,
                                                  const CallLimits& limits) = 0;
  /// Writes labels and data, and returns the stored object. Without a resource_version it creates
  /// the object, without `rest` (AlreadyExists: it exists). With one it replaces that version,
  /// including `rest` except binary data under a key of `data` (Aborted: the version differs;
  /// NotFound).
  virtual absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map,
                                                   const CallLimits& limits) = 0;
  /// Deletes the object with that UID and version. NotFound; Aborted: it was replaced or has
  /// changed.
  virtual absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) = 0;
};

}  // namespace outrigger
