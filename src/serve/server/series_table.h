#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "outrigger/base/mutex.h"

namespace outrigger::server {

/// Finds a value by name without a lock. For few names that come early and stay: adding one copies
/// the table and keeps the old one, since somebody may be reading it. Thread-safe.
template <typename T>
class SeriesTable {
 public:
  /// Takes `max_names` names; further ones share the value of the name "other".
  explicit SeriesTable(size_t max_names) : max_names_(max_names) {
    tables_.push_back(std::make_unique<Table>());
    current_.store(tables_.back().get(), std::memory_order_release);
  }

  /// The value of `name`, made by `make(name)` (which returns T*, not owned) when it is new.
  template <typename Make>
  T& Get(std::string_view name, const Make& make) {
    T* found = Find(name);
    return found != nullptr ? *found : Add(name, make);
  }

 private:
  using Table = absl::flat_hash_map<std::string, T*>;

  T* Find(std::string_view name) const {
    const Table& table = *current_.load(std::memory_order_acquire);
    const auto found = table.find(absl::string_view(name.data(), name.size()));
    return found == table.end() ? nullptr : found->second;
  }

  template <typename Make>
  T& Add(std::string_view name, const Make& make) {
    const MutexLock lock(mutex_);
    if (T* found = Find(name)) return *found;  // somebody was faster
    if (tables_.back()->size() >= max_names_) {
      name = "other";
      if (T* found = Find(name)) return *found;
    }
    auto table = std::make_unique<Table>(*tables_.back());
    T* const made = make(name);
    table->emplace(name, made);
    tables_.push_back(std::move(table));
    current_.store(tables_.back().get(), std::memory_order_release);
    return *made;
  }

  const size_t max_names_;
  Mutex mutex_;
  std::vector<std::unique_ptr<const Table>> tables_ ABSL_GUARDED_BY(mutex_);
  std::atomic<const Table*> current_;
};

}  // namespace outrigger::server
