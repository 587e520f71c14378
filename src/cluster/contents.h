#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "absl/hash/hash.h"
#include "cluster/hash_trie.h"
#include "cluster/node_names.h"
#include "cluster/pod_record.h"
#include "cluster/pod_set.h"
#include "cluster/slot_vector.h"
#include "cluster/snapshot.h"

// What a version of the cluster consists of: persistent structures, cheap to copy.

namespace outrigger::cluster {

struct NodeCell : Shared {
  using Shared::Shared;
  NodeCell(const NodeCell& other, uint64_t epoch) : Shared(epoch), state(other.state) {}
  NodeState state;
};

struct PodsByKey {
  using Key = PodKey;
  static Key KeyOf(const PodPtr& pod) { return pod->key(); }
  static uint64_t Hash(const Key& key) {
    return absl::HashOf(absl::string_view(key.namespace_.data(), key.namespace_.size()),
                        absl::string_view(key.name.data(), key.name.size()));
  }
};
using PodTable = HashTrie<PodPtr, PodsByKey>;

/// The pods that an index files under one text.
struct IndexBucket {
  std::string value;
  PodSet pods;
};
struct BucketsByValue {
  using Key = std::string_view;
  static Key KeyOf(const IndexBucket& group) { return group.value; }
  static uint64_t Hash(Key key) { return HashOf(key); }
};
using IndexBuckets = HashTrie<IndexBucket, BucketsByValue>;

struct Contents {
  SlotVector<Ref<NodeCell>> nodes;  // null: an empty slot
  SlotVector<NodeRef> refs;         // to the same nodes; pods that come and go leave it alone
  size_t node_count = 0;
  NodeNames names;
  PodTable pods;
  PodSet pending;
  std::vector<IndexBuckets> indexes;
  std::vector<std::type_index> index_types;  // of the same
  uint64_t generation = 0;
};

}  // namespace outrigger::cluster
