#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "outrigger/devices/objects.h"
#include "outrigger/k8s/resource_version.h"

namespace outrigger::devices::agent {

/// From where an object is known.
enum class Source : uint8_t {
  kWatch,  ///< as it was followed
  kWrite,  ///< the answer of a write or of a read, which the watch has not shown yet
};

/// Objects of one kind by name, in the newest version that is known. What was written is kept until
/// the watch shows it, or a list begins that may tell otherwise (a server restored from a backup
/// counts from an earlier version). Not thread-safe; objects are immutable.
template <typename T>
class ObjectTable {
 public:
  using Pointer = std::shared_ptr<const T>;

  /// Returns what was there before; nothing has changed if `object` is older than that.
  struct Change {
    bool is_taken = false;
    Pointer before;
  };
  Change Put(const std::string& name, Pointer object, Source from) {
    Entry& entry = entries_[name];
    Change change{.is_taken = true, .before = entry.object};
    const bool is_same =
        entry.object != nullptr && entry.object->version.uid == object->version.uid;
    const bool is_older = is_same && IsOlderVersion(object->version.resource_version,
                                                    entry.object->version.resource_version);
    if (is_older && (from == Source::kWrite || entry.is_ahead)) return {.before = entry.object};
    if (from == Source::kWrite) {
      entry.is_ahead = entry.is_ahead || !is_same ||
                       entry.object->version.resource_version != object->version.resource_version;
    } else {
      entry.is_ahead = false;
    }
    entry.object = std::move(object);
    return change;
  }
  /// Returns what was there. Nothing happens if that has another UID (an empty one: any has).
  Pointer Remove(std::string_view name, std::string_view uid) {
    const auto at = entries_.find(name);
    if (at == entries_.end()) return nullptr;
    if (!uid.empty() && at->second.object->version.uid != uid) return nullptr;
    Pointer object = std::move(at->second.object);
    entries_.erase(at);
    return object;
  }
  void OnList() {
    for (auto& [name, entry] : entries_) entry.is_ahead = false;
  }
  /// Null if there is none.
  Pointer Find(std::string_view name) const {
    const auto at = entries_.find(name);
    return at == entries_.end() ? nullptr : at->second.object;
  }
  size_t size() const { return entries_.size(); }
  /// In the order of names.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [name, entry] : entries_) visit(name, entry.object);
  }

 private:
  struct Entry {
    Pointer object;
    bool is_ahead = false;  // of the watch
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace outrigger::devices::agent
