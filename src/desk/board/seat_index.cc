#include "desk/board/seat_index.h"

#include <utility>

#include "absl/hash/hash.h"

namespace outrigger::desk {
namespace {

absl::string_view KeyOf(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

// By the upper bits: the maps use the lower ones.
size_t SeatIndex::ShardOf(std::string_view uid) {
  constexpr int kBits = 10;
  static_assert(kShards == size_t{1} << kBits);
  return absl::HashOf(KeyOf(uid)) >> (8 * sizeof(size_t) - kBits);
}

SeatIndex::Shard& SeatIndex::Own(size_t shard) {
  Shard*& own = own_[shard];
  if (own == nullptr) {
    const std::shared_ptr<const Shard>& shared = shards_[shard];
    auto made = shared == nullptr ? std::make_shared<Shard>() : std::make_shared<Shard>(*shared);
    own = made.get();
    shards_[shard] = std::move(made);
  }
  return *own;
}

const BoardPod* SeatIndex::Find(std::string_view uid) const {
  const std::shared_ptr<const Shard>& shard = shards_[ShardOf(uid)];
  if (shard == nullptr) return nullptr;
  const auto found = shard->find(KeyOf(uid));
  return found == shard->end() ? nullptr : found->second;
}

bool SeatIndex::Put(const BoardPod* seat) {
  const std::string_view uid = seat->pod->uid;
  return Own(ShardOf(uid)).try_emplace(KeyOf(uid), seat).second;
}

void SeatIndex::Erase(const BoardPod* seat) {
  const std::string_view uid = seat->pod->uid;
  if (Find(uid) == seat) Own(ShardOf(uid)).erase(KeyOf(uid));
}

}  // namespace outrigger::desk
