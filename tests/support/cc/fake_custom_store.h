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
#include "nlohmann/json.hpp"
#include "outrigger/agent/custom_objects.h"

namespace outrigger::testing {

/// The API server's rules for custom objects, for FakeCustomObjects. Errors are those of
/// CustomObjectAccess. Not thread-safe.
class FakeCustomStore {
 public:
  using Json = nlohmann::json;
  using Name = std::pair<std::string, std::string>;  // namespace and name
  /// Called at each change, in order.
  struct Listener {
    std::function<void(const CustomKind& kind, const Json& object)> put = {};
    std::function<void(const CustomKind& kind, const Name& name, const std::string& version)>
        removed = {};
    std::function<void(const CustomKind& kind, const std::vector<Name>& removed)> not_served = {};
    std::function<void(const CustomKind& kind)> served = {};
  };

  explicit FakeCustomStore(Listener listener) : listener_(std::move(listener)) {}

  absl::StatusOr<Json> Read(const CustomKind& kind, const CustomObjectName& object) const;
  absl::StatusOr<Json> Create(const CustomKind& kind, std::string_view namespace_,
                              std::string_view json);
  absl::StatusOr<Json> PatchStatus(const CustomKind& kind, const CustomObjectName& object,
                                   std::string_view status_patch);
  /// As FakeCustomObjects::Put().
  Json Put(const CustomKind& kind, Json object);
  bool Delete(const CustomKind& kind, const Name& name);
  void SetServed(const CustomKind& kind, bool served);

  bool IsServed(const CustomKind& kind) const;
  /// Of the last change of anything.
  std::string Version() const { return std::to_string(version_); }
  std::vector<Json> All(const CustomKind& kind) const;

 private:
  struct Kind {
    bool served = true;
    std::map<Name, Json> objects;
  };
  Kind& KindOf(const CustomKind& kind);
  const Kind& KindOf(const CustomKind& kind) const;
  const Json& Store(const CustomKind& kind, Json object);
  std::string NewUid();

  const Listener listener_;
  std::map<std::string, Kind> kinds_;  // by "plural.group"
  int64_t version_ = 0;
  int64_t last_uid_ = 0;
};

/// "devicepools.devmgmtproto.k8s.io".
std::string CustomNameOf(const CustomKind& kind);
/// A text of the object's metadata; empty: it has none.
std::string MetadataOf(const nlohmann::json& object, const char* field);
/// What is said of a kind whose definition is not applied.
absl::Status CustomNotServed(const CustomKind& kind);

}  // namespace outrigger::testing
