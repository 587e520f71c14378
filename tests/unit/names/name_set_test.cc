#include "names/name_set.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <vector>

#include "names/hash.h"

namespace outrigger::names {
namespace {

TEST(NameSet, FindsWhereEachNameStands) {
  const std::vector<std::string_view> names = {"b", "a", ""};
  std::vector<uint64_t> hashes;
  NameSet set;
  EXPECT_EQ(set.Assign(names, &hashes), NameSet::kNone);
  EXPECT_EQ(set.Find("b"), 0U);
  EXPECT_EQ(set.Find("a"), 1U);
  EXPECT_EQ(set.Find(""), 2U);
  EXPECT_EQ(set.Find("c"), NameSet::kNone);
  ASSERT_EQ(hashes.size(), 3U);
  EXPECT_EQ(hashes[1], HashOf("a"));
}

TEST(NameSet, AnEmptyListHasNothing) {
  NameSet set;
  std::vector<uint64_t> hashes = {7};
  EXPECT_EQ(set.Find("a"), NameSet::kNone) << "before any list";
  EXPECT_EQ(set.Assign({}, &hashes), NameSet::kNone);
  EXPECT_EQ(set.Find("a"), NameSet::kNone);
  EXPECT_TRUE(hashes.empty());
}

// The model: a map that is made anew for each list.
TEST(NameSet, IsWhatTheLastListSaysWhateverCameBefore) {
  EXPECT_TRUE(rc::check("equals a map", [](const std::vector<std::vector<uint8_t>>& lists) {
    NameSet set;
    std::vector<uint64_t> hashes;
    for (const std::vector<uint8_t>& list : lists) {
      std::vector<std::string> texts;
      for (const uint8_t number : list) texts.push_back("node-" + std::to_string(number));
      const std::vector<std::string_view> names(texts.begin(), texts.end());
      std::map<std::string_view, size_t> model;
      size_t twice = NameSet::kNone;
      for (size_t i = 0; i < names.size() && twice == NameSet::kNone; ++i) {
        if (!model.emplace(names[i], i).second) twice = i;
      }
      RC_ASSERT(set.Assign(names, &hashes) == twice);
      if (twice != NameSet::kNone) continue;
      for (size_t number = 0; number < 256; ++number) {
        const std::string name = "node-" + std::to_string(number);
        const auto at = model.find(name);
        RC_ASSERT(set.Find(name) == (at == model.end() ? NameSet::kNone : at->second));
      }
    }
  }));
}

}  // namespace
}  // namespace outrigger::names
