#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// Seats of pods by UID, in shards: a copy shares them with what it was copied from, until it
/// changes one. A copy may be changed while others read the original; the original may not. Seats
/// are not owned.
class SeatIndex {
 public:
  SeatIndex() = default;
  SeatIndex(const SeatIndex& other) : shards_(other.shards_) {}
  SeatIndex& operator=(const SeatIndex&) = delete;

  /// Null: not known.
  const BoardPod* Find(std::string_view uid) const;
  /// False if there is a seat of that UID.
  bool Put(const BoardPod* seat);
  /// Takes out the seat, if it is there.
  void Erase(const BoardPod* seat);

 private:
  static constexpr size_t kShards = 1024;
  using Shard = absl::flat_hash_map<absl::string_view, const BoardPod*>;  // by the UID in the pod

  static size_t ShardOf(std::string_view uid);
  Shard& Own(size_t shard);

  std::array<std::shared_ptr<const Shard>, kShards> shards_;  // null: empty
  std::array<Shard*, kShards> own_ = {};                      // of these; null: shared
};

}  // namespace outrigger::desk
