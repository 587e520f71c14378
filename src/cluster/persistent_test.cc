#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builders.h"
#include "cluster/hash_trie.h"
#include "cluster/node_names.h"
#include "cluster/pod_set.h"
#include "cluster/slot_vector.h"

// Persistent structures against naive ones: after each random operation the newest version equals
// its model, and in the end so does every version that was kept on the way.

namespace outrigger::cluster {
namespace {

using testing::MakePod;

struct Pair {
  int key;
  std::string value;
};

struct SpreadHash {
  using Key = int;
  static Key KeyOf(const Pair& pair) { return pair.key; }
  static uint64_t Hash(Key key) { return static_cast<uint64_t>(key) * 0x9E3779B97F4A7C15U; }
};
/// Few keys differ before the last bits, many not at all.
struct BadHash : SpreadHash {
  static uint64_t Hash(Key key) { return static_cast<uint64_t>(key % 5) << 60; }
};
struct NoHash : SpreadHash {
  static uint64_t Hash(Key) { return 7; }
};

template <typename Trie>
std::map<int, std::string> ContentOf(const Trie& trie) {
  std::map<int, std::string> content;
  trie.ForEach([&](const Pair& pair) { content.emplace(pair.key, pair.value); });
  return content;
}

template <typename Traits>
class HashTries : public ::testing::Test {};
using Hashes = ::testing::Types<SpreadHash, BadHash, NoHash>;
TYPED_TEST_SUITE(HashTries, Hashes);

TYPED_TEST(HashTries, EveryVersionStaysWhatItWas) {
  using Trie = HashTrie<Pair, TypeParam>;
  EXPECT_TRUE(
      rc::check("trie equals model", [](const std::vector<std::pair<uint8_t, uint8_t>>& ops) {
        Trie trie;
        std::map<int, std::string> model;
        uint64_t epoch = 0;
        std::vector<std::pair<Trie, std::map<int, std::string>>> versions;
        for (const auto& [op, key] : ops) {
          if (op % 4 == 0) {
            RC_ASSERT(trie.Erase(key, epoch) == (model.erase(key) == 1));
          } else if (op % 4 == 1) {
            Pair* pair = trie.Mutable(key, epoch);
            RC_ASSERT((pair != nullptr) == (model.count(key) == 1));
            if (pair != nullptr) model[key] = pair->value = "changed " + std::to_string(op);
          } else {
            model[key] = std::to_string(op);
            trie.Set({key, model[key]}, epoch);
          }
          RC_ASSERT(trie.size() == model.size());
          const Pair* found = trie.Find(key);
          RC_ASSERT((found != nullptr) == (model.count(key) == 1));
          if (op % 5 == 0) {
            versions.emplace_back(trie, model);
            ++epoch;
          }
        }
        versions.emplace_back(trie, model);
        for (const auto& [version, then] : versions) RC_ASSERT(ContentOf(version) == then);
      }));
}

TEST(HashTrie, HoldsAndForgetsManyKeys) {
  HashTrie<Pair, SpreadHash> trie;
  for (int i = 0; i < 20'000; ++i) trie.Set({i, std::to_string(i)}, 1);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(trie.Find(i)->value, std::to_string(i));
  EXPECT_EQ(trie.Find(20'000), nullptr);
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(trie.Erase(i, 1));
  EXPECT_EQ(trie.size(), 0U);
  EXPECT_TRUE(ContentOf(trie).empty());
}

TEST(SlotVector, EveryVersionStaysWhatItWas) {
  EXPECT_TRUE(rc::check("vector equals model", [](const std::vector<uint16_t>& ops) {
    SlotVector<int> vector;
    std::vector<int> model;
    uint64_t epoch = 0;
    std::vector<std::pair<SlotVector<int>, std::vector<int>>> versions;
    for (const uint16_t op : ops) {
      for (int i = op % 3 == 0 ? 200 : 0; i > 0; --i) {
        vector.Grow(epoch);
        model.push_back(0);
      }
      if (op % 3 == 1 && !model.empty()) {
        vector.Mutable(op % model.size(), epoch) = op;
        model[op % model.size()] = op;
      }
      if (op % 7 == 2 && !model.empty()) {
        vector.Mutable(model.size() - 1, epoch) = 0;
        vector.Shrink();
        model.pop_back();
      }
      if (op % 4 == 0) {
        versions.emplace_back(vector, model);
        ++epoch;
      }
    }
    versions.emplace_back(vector, model);
    for (const auto& [version, then] : versions) {
      RC_ASSERT(version.size() == then.size());
      for (size_t i = 0; i < then.size(); ++i) RC_ASSERT(version[i] == then[i]);
    }
  }));
}

std::vector<PodPtr> ContentOf(const PodSet& set) {
  std::vector<PodPtr> content;
  set.ForEach([&](const PodPtr& pod) { content.push_back(pod); });
  return content;
}

TEST(PodSet, EveryVersionStaysWhatItWasAndInOrder) {
  EXPECT_TRUE(
      rc::check("set equals model", [](const std::vector<std::pair<uint8_t, uint8_t>>& ops) {
        PodSet set;
        std::map<std::pair<std::string, std::string>, PodPtr> model;
        uint64_t epoch = 0;
        std::vector<std::pair<PodSet, std::vector<PodPtr>>> versions;
        const auto keep = [&] {
          std::vector<PodPtr> then;
          for (const auto& [key, pod] : model) then.push_back(pod);
          versions.emplace_back(set, then);
          ++epoch;
        };
        for (const auto& [op, number] : ops) {
          const std::pair key(number % 2 == 0 ? "a" : "b", std::to_string(number));
          if (op % 3 == 0) {
            set.Erase({key.first, key.second}, epoch);
            model.erase(key);
          } else {
            const PodPtr pod = PodRecord::Of(MakePod(key.second).Namespace(key.first));
            set.Put(pod, epoch);
            model[key] = pod;
          }
          RC_ASSERT(set.size() == model.size());
          if (op % 5 == 0) keep();
        }
        keep();
        for (const auto& [version, then] : versions) RC_ASSERT(ContentOf(version) == then);
      }));
}

// In order of names, which would make a plain tree a list.
TEST(PodSet, TenThousandPodsInOrderAreNoLoad) {
  PodSet set;
  for (int i = 0; i < 10'000; ++i) {
    set.Put(PodRecord::Of(MakePod(std::to_string(100'000 + i))), 1);
  }
  const PodSet kept = set;
  for (int i = 0; i < 10'000; ++i) set.Erase({"default", std::to_string(100'000 + i)}, 2);
  EXPECT_EQ(set.size(), 0U);
  EXPECT_EQ(ContentOf(kept).size(), 10'000U);
}

TEST(NodeNames, EveryVersionStaysWhatItWas) {
  EXPECT_TRUE(
      rc::check("names equal model", [](const std::vector<std::pair<uint8_t, uint8_t>>& ops) {
        NodeNames names;
        std::map<std::string, size_t> model;
        uint64_t epoch = 0;
        std::vector<std::pair<NodeNames, std::map<std::string, size_t>>> versions;
        for (size_t i = 0; i < ops.size() * 20; ++i) {  // enough for the table to be built anew
          const auto& [op, number] = ops[i / 20];
          const std::string name = "node-" + std::to_string(number * 7 + i % 20 * 31);
          if (op % 3 == 0 && model.erase(name) == 1) {
            names.Erase(name, epoch);
          } else if (op % 3 != 0) {
            names.Set(name, i, epoch);
            model[name] = i;
          }
          if (i % 40 == 0) {
            versions.emplace_back(names, model);
            ++epoch;
          }
        }
        versions.emplace_back(names, model);
        for (const auto& [version, then] : versions) {
          for (size_t number = 0; number < 2400; ++number) {
            const std::string name = "node-" + std::to_string(number);
            const auto at = then.find(name);
            const auto slot = version.Find(name);
            RC_ASSERT(slot.has_value() == (at != then.end()));
            if (slot.has_value()) RC_ASSERT(*slot == at->second);
          }
        }
      }));
}

}  // namespace
}  // namespace outrigger::cluster
