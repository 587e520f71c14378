#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/objects/objects.h"
#include "outrigger/k8s/resource_version.h"

namespace outrigger::devices::agent {

/// From where an object is known.
enum class Source : uint8_t {
  kWatch,  ///< as it was followed
  kWrite,  ///< the answer of a write or of a read, which the watch may not have shown yet
};

/// By what an object is known to be gone.
struct Gone {
  Source from = Source::kWatch;
  std::string_view uid = {};      ///< kWrite: the one that is, whichever has its name now
  std::string_view version = {};  ///< kWatch: of the deletion, or of the list that lacks it
};

/// Objects of one kind by name, in the newest version that is known. Resource versions of a kind
/// are in one order for all its objects, and the watch shows them in that order. So one version, up
/// to which all has been shown, tells every answer of a write that comes late: the object may
/// have been deleted since. An answer that is ahead of the watch is kept until the watch shows it
/// or more. A list begins a new count, since a server restored from a backup counts from an earlier
/// version. Versions that are no numbers are not compared. Not thread-safe; objects are immutable.
template <typename T>
class ObjectTable {
 public:
  using Pointer = std::shared_ptr<const T>;

  /// Returns what was there before; nothing has changed if `object` is older than what is known.
  struct Change {
    bool is_taken = false;
    Pointer before;
  };
  Change Put(const std::string& name, Pointer object, Source from) {
    const std::string& version = object->version.resource_version;
    const auto at = entries_.find(name);
    Change change{.is_taken = true, .before = at == entries_.end() ? nullptr : at->second.object};
    const bool is_older = change.before != nullptr &&
                          IsOlderVersion(version, change.before->version.resource_version);
    if (from == Source::kWatch) {
      Entry& entry = at == entries_.end() ? entries_[name] : at->second;
      entry.list = list_;
      if (!is_listing_) shown_ = version;
      if (is_older && entry.is_ahead && !is_listing_) return {.before = change.before};
      entry.is_ahead = false;
      entry.object = std::move(object);
      return change;
    }
    if (is_older || IsShown(version)) return {.before = change.before};
    Entry& entry = entries_[name];
    entry.is_ahead =
        entry.is_ahead || change.before == nullptr || change.before->version != object->version;
    entry.object = std::move(object);
    return change;
  }

  /// Returns what was there. Null: there was nothing, or it is not what is gone.
  Pointer Remove(std::string_view name, const Gone& gone) {
    const bool is_seen = gone.from == Source::kWatch;
    if (is_seen && !is_listing_) shown_ = gone.version;
    const auto at = entries_.find(name);
    if (at == entries_.end()) return nullptr;
    const Entry& entry = at->second;
    const bool stays =
        is_seen ? IsLaterThan(gone.version, entry) : entry.object->version.uid != gone.uid;
    if (stays) return nullptr;
    Pointer object = entry.object;
    entries_.erase(at);
    return object;
  }

  /// A full list begins. Until it ends objects of any version are shown.
  void BeginList() {
    ++list_;
    is_listing_ = true;
  }
  /// All of the list was shown, which is of this version (empty: the kind is not served). Returns
  /// what it lacks, which is removed.
  std::vector<std::pair<std::string, Pointer>> EndList(std::string_view version) {
    const bool is_restored = IsOlderVersion(version, shown_);
    std::vector<std::pair<std::string, Pointer>> gone;
    for (auto at = entries_.begin(); at != entries_.end();) {
      const Entry& entry = at->second;
      if (entry.list == list_ || (!is_restored && IsLaterThan(version, entry))) {
        ++at;
        continue;
      }
      gone.emplace_back(at->first, entry.object);
      at = entries_.erase(at);
    }
    shown_ = version;
    is_listing_ = false;
    return gone;
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
    uint64_t list = 0;      // the last one that had it, or after which the watch showed it
  };

  bool IsShown(std::string_view version) const {
    return version == shown_ || IsOlderVersion(version, shown_);
  }
  // What was written after the watch's version is there, though the watch does not have it.
  static bool IsLaterThan(std::string_view version, const Entry& entry) {
    return entry.is_ahead && IsOlderVersion(version, entry.object->version.resource_version);
  }

  std::map<std::string, Entry, std::less<>> entries_;
  std::string shown_;  // the version up to which all was shown; empty: not known
  uint64_t list_ = 0;
  bool is_listing_ = false;
};

}  // namespace outrigger::devices::agent
