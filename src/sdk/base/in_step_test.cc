#include "sdk/base/in_step.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class InStepTest : public ::testing::Test {
 protected:
  // One round; returns the keys that were looked up.
  std::vector<int> Ask(const std::vector<int>& keys) {
    std::vector<int> looked_up;
    for (const int key : keys) {
      const std::string* const found = in_step_.Find(key, [&](int of) {
        looked_up.push_back(of);
        const auto at = entries_.find(of);
        return at == entries_.end() ? nullptr : &at->second;
      });
      const auto at = entries_.find(key);
      EXPECT_EQ(found, at == entries_.end() ? nullptr : &at->second) << key;
    }
    visited_.clear();
    in_step_.EndRound([this](const std::string* entry) { visited_.insert(*entry); });
    return looked_up;
  }

  std::map<int, std::string> entries_ = {{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}};
  InStep<int, std::string> in_step_;
  std::set<std::string> visited_;
};

TEST_F(InStepTest, WhatIsAskedForInTheSameOrderIsLookedUpOnce) {
  EXPECT_THAT(Ask({1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Ask({1, 2, 3}), IsEmpty());
  EXPECT_THAT(visited_, IsEmpty());
}

TEST_F(InStepTest, WhatComesIsLookedUpAndWhatGoesIsVisited) {
  Ask({1, 2, 4});
  EXPECT_THAT(Ask({1, 3, 4}), ElementsAre(3));
  EXPECT_THAT(visited_, ElementsAre("b"));
  EXPECT_THAT(Ask({1, 3}), IsEmpty());
  EXPECT_THAT(visited_, ElementsAre("d"));
}

TEST_F(InStepTest, AnotherOrderCostsLookUps) {
  Ask({1, 2, 3, 4});
  EXPECT_THAT(Ask({4, 1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(visited_, ElementsAre("a", "b", "c"));  // although they were asked for
}

TEST_F(InStepTest, OneThatWasNotThereIsLookedUpAgain) {
  Ask({1, 9, 2});
  EXPECT_THAT(Ask({1, 9, 2}), ElementsAre(9));
  entries_[9] = "z";
  EXPECT_THAT(Ask({1, 9, 2}), ElementsAre(9));
  EXPECT_THAT(Ask({1, 9, 2}), IsEmpty());
}

TEST_F(InStepTest, AnEntryThatIsNoLongerThatOfItsKeyIsLookedUp) {
  Ask({1, 2});
  const std::string* const found = in_step_.Find(
      1, [&](int) { return &entries_[3]; }, [](const std::string& entry) { return entry != "a"; });
  EXPECT_EQ(found, &entries_[3]);
}

// The entries go at once, as owners let them.
TEST_F(InStepTest, WhatIsAskedForTwiceInOneRoundIsVisitedOnce) {
  std::map<int, std::unique_ptr<int>> owned;
  for (const int key : {1, 2}) owned[key] = std::make_unique<int>(key);
  InStep<int, int> in_step;
  const auto look_up = [&](int key) { return owned.at(key).get(); };
  for (const int key : {1, 2, 1, 2, 1}) in_step.Find(key, look_up);
  std::vector<int> visited;
  const auto erase = [&](const int* entry) {
    visited.push_back(*entry);
    owned.erase(*entry);
  };
  in_step.EndRound(erase);
  EXPECT_THAT(visited, IsEmpty());
  in_step.EndRound(erase);
  EXPECT_THAT(visited, UnorderedElementsAre(1, 2));
}

TEST_F(InStepTest, ManyThatGoAtOnceCostLookUpsAndNoMore) {
  std::vector<int> keys;
  for (int i = 0; i < 200; ++i) {
    entries_[i] = std::to_string(i);
    keys.push_back(i);
  }
  Ask(keys);
  keys.erase(keys.begin() + 10, keys.begin() + 110);
  EXPECT_EQ(Ask(keys).size(), 90);
  EXPECT_THAT(Ask(keys), IsEmpty());
}

}  // namespace
}  // namespace outrigger
