#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"

namespace outrigger::kube {

/// The names of the objects that a sink holds, so that what is missing in a new list can be removed
/// from it. Not thread-safe.
class KeyTable {
 public:
  using OnGone = absl::FunctionRef<void(std::string_view namespace_, std::string_view name)>;

  /// The object exists; `readable`: its last state could be read.
  void See(std::string_view namespace_, std::string_view name, bool readable);
  /// False if it was not there.
  bool Forget(std::string_view namespace_, std::string_view name);

  /// From here on it is noted which objects are seen. One that was not ended is forgotten.
  void BeginReplace() { ++round_; }
  /// Forgets the objects that were not seen since BeginReplace(), and calls `on_gone` for each.
  void EndReplace(OnGone on_gone);

  size_t size() const { return keys_.size(); }
  /// Objects whose last state could not be read.
  size_t unreadable() const { return unreadable_; }

 private:
  struct Entry {
    uint32_t round = 0;
    bool readable = true;
  };
  const std::string& Key(std::string_view namespace_, std::string_view name);

  absl::flat_hash_map<std::string, Entry> keys_;  // "namespace/name"
  std::string key_;
  uint32_t round_ = 0;
  size_t unreadable_ = 0;
};

}  // namespace outrigger::kube
