#include "base/in_step.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
