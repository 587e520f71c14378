#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/config_maps.h"

namespace outrigger::testing {

/// The API server's rules for ConfigMaps, for FakeObjects. Errors are those of ConfigMapAccess.
/// What it does not imitate: namespaces (each is there), what the rest says. Not thread-safe.
class FakeMapStore {
 public:
  absl::StatusOr<ConfigMap> Read(std::string_view namespace_, std::string_view name) const;
  absl::StatusOr<ConfigMap> Write(const ConfigMap& map);
  /// An empty UID or version is no precondition.
  absl::Status Delete(const ConfigMap& map);
  std::vector<ConfigMap> All() const;
  /// Grows with each change.
  int64_t version() const { return version_; }

 private:
  using Name = std::pair<std::string, std::string>;
  std::map<Name, ConfigMap> maps_;
  int64_t version_ = 0;
  int64_t last_uid_ = 0;
};

}  // namespace outrigger::testing
