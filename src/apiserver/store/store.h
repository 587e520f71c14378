#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "apiserver/json.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/string_map.h"

// The objects: current ones, and one ordered log of their changes, which feeds all watches.

namespace outrigger::apiserver {

/// The name of an object in its collection. `namespace_` is empty for a kind that has none.
struct ObjectName {
  std::string namespace_;
  std::string name;
  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

/// Of its metadata.
ObjectName NameOfObject(const Json& object);

/// An object at one version: its text, and what selectors, owners and controllers need of it. A
/// parsed object takes 6.5 times its text. Immutable.
struct Stored {
  ObjectName name;
  std::string uid;
  uint64_t version = 0;
  bool deleting = false;  // has a deletionTimestamp
  StringMap labels;
  StringMap fields;                 // by which field selectors select, beside name and namespace
  std::vector<std::string> owners;  // UIDs
  /// JSON without what stands before: `{"apiVersion":"v1","kind":"Pod",`. Names no version of the
  /// API, so that one object is served in several.
  std::string text;

  /// The object, without apiVersion and kind.
  Json Parse() const;
};
using StoredPtr = std::shared_ptr<const Stored>;

/// Fields of an object by which field selectors select.
using FieldsOf = std::function<StringMap(const Json& object)>;

/// One resource's objects. Made by Store::Open(), and as long-lived as the store.
struct Collection {
  std::string name;  // "pods", "deployments.apps"
  FieldsOf fields_of;
  absl::btree_map<ObjectName, StoredPtr> objects;  // guarded by the store's mutex
};

/// What happened to an object. `before` is null for one that is new, `now` holds the last state of
/// one that was removed, with the version of its removal.
struct Change {
  enum class Kind : uint8_t { kAdded, kModified, kDeleted };
  Kind kind = Kind::kAdded;
  const Collection* collection = nullptr;
  StoredPtr now;
  StoredPtr before;
};

/// A collection, or one namespace of it, at a version.
struct Listing {
  uint64_t version = 0;
  std::vector<StoredPtr> objects;  // in the order of their names
};

/// How a write ended that was based on a version.
enum class Written : uint8_t {
  kDone,
  kExists,    // Create(): one of that name is there
  kMissing,   // there is none, or one of another UID
  kConflict,  // its version is another
  kNothing,   // Replace(): it is the same; nothing was written
};

/// Thread-safe; calls do not wait for anything but each other.
class Store {
 public:
  /// What is kept of the past: changes, and bytes of objects that were replaced.
  struct Limits {
    size_t changes = 1'000'000;
    size_t bytes = size_t{128} << 20;
  };
  Store() : Store(Limits()) {}
  explicit Store(Limits limits) : limits_(limits) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The collection of that name, made if it is new. `fields_of` may be null.
  Collection* Open(std::string_view name, const FieldsOf& fields_of);

  /// Writes metadata.resourceVersion into the object. Its metadata has name, namespace and uid.
  Written Create(Collection* collection, Json object, StoredPtr* stored);
  /// If the object is still `base`.
  Written Replace(Collection* collection, const StoredPtr& base, Json object, StoredPtr* stored);
  Written Remove(Collection* collection, const StoredPtr& base, StoredPtr* last) {
    return Remove(collection, base, base->Parse(), last);
  }
  /// `state`: how it was in the end, which may differ from `base`.
  Written Remove(Collection* collection, const StoredPtr& base, Json state, StoredPtr* last);

  /// What Create() would make of the object, which has a resourceVersion or gets none. Keeps
  /// nothing.
  static StoredPtr Draft(const Collection& collection, Json object);

  /// Null: there is none.
  StoredPtr Get(const Collection& collection, const ObjectName& name) const;
  /// All namespaces if `namespace_` is empty.
  Listing List(const Collection& collection, std::string_view namespace_) const;
  /// The same as it was at `version`; nothing if that is no longer known.
  std::optional<Listing> ListAt(const Collection& collection, std::string_view namespace_,
                                uint64_t version) const;
  /// Names of the objects that have an owner of this UID.
  std::vector<std::pair<Collection*, ObjectName>> OwnedBy(const std::string& uid) const;
  /// Those of one collection.
  std::vector<StoredPtr> OwnedIn(const Collection* collection, const std::string& uid) const;
  /// The collections that hold an object of the namespace.
  std::vector<Collection*> CollectionsWith(const std::string& namespace_) const;
  bool HasUid(const std::string& uid) const;

  /// The version of the last change.
  uint64_t version() const;
  /// Appends the changes after `version`, `most` at most; false if some are no longer known.
  bool ChangesAfter(uint64_t version, size_t most, std::vector<Change>* changes) const;
  /// Waits until there is a change after `version`, `time` is over or stop is requested.
  void WaitForChange(uint64_t version, std::chrono::milliseconds time,
                     const std::stop_token& stop) const;

 private:
  void Append(Change change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Index(Collection* collection, const Stored& object, bool add)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Written Check(const Collection& collection, const Stored& base) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Listing ListLocked(const Collection& collection, std::string_view namespace_) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Limits limits_;
  mutable Mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::map<std::string, std::unique_ptr<Collection>, std::less<>> collections_
      ABSL_GUARDED_BY(mutex_);
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = 1;
  /// changes_[i] has version first_ + i.
  std::deque<Change> changes_ ABSL_GUARDED_BY(mutex_);
  uint64_t first_ ABSL_GUARDED_BY(mutex_) = 2;
  size_t past_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, absl::btree_set<std::pair<Collection*, ObjectName>>> owned_
      ABSL_GUARDED_BY(mutex_);  // by the UID of the owner
  absl::btree_set<std::string> uids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::apiserver
