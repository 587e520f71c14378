#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/crd/definition.h"
#include "apiserver/store/store.h"
#include "apiserver/types/type_table.h"
#include "outrigger/base/mutex.h"

// What is served: kinds of the type table, and those of CustomResourceDefinitions.

namespace outrigger::apiserver {

/// A resource in one version of the API. Immutable.
struct Served : Resource {
  std::shared_ptr<const CustomVersion> custom = {};  // null: built in
  Collection* collection = nullptr;                  // null: nothing is kept (access reviews)
  Json empty_status = {};  // what Go prints of a status without fields; null: nothing

  std::string GroupVersion() const { return group.empty() ? version : group + "/" + version; }
  bool HasVerb(std::string_view name) const;
  /// `{"apiVersion":"v1","kind":"Pod",`, which stands before a Stored::text.
  std::string Head() const;
  /// Of a message about an object: its plural and name.
  Subject SubjectOf(std::string_view name) const { return {group, plural, std::string(name)}; }
};
using ServedPtr = std::shared_ptr<const Served>;

/// Thread-safe.
class Catalog {
 public:
  explicit Catalog(Store* store);

  /// Null: not served.
  ServedPtr Find(std::string_view group, std::string_view version, std::string_view plural) const;
  /// All, in an order that does not change: as discovery lists them.
  std::vector<ServedPtr> All() const;
  /// Changes with what is served: the hash in addresses of OpenAPI.
  uint64_t generation() const;

  /// Serves what a definition, by its name, has; null: nothing of it any more. Returns what was
  /// served of it.
  std::vector<ServedPtr> SetCustom(const std::string& name, const CustomDefinition* definition);

 private:
  Store* const store_;
  mutable Mutex mutex_;
  std::vector<ServedPtr> all_ ABSL_GUARDED_BY(mutex_);
  uint64_t generation_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace outrigger::apiserver
