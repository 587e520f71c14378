#include "sdk/names/name_set.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <vector>

namespace outrigger::names {
namespace {

TEST(NameSet, FindsWhereEachNameStands) {
  const std::vector<std::string_view> names = {"b", "a", ""};
  NameSet set;
  EXPECT_EQ(set.Assign(names), NameSet::kNone);
  EXPECT_EQ(set.Find("b"), 0U);
  EXPECT_EQ(set.Find("a"), 1U);
  EXPECT_EQ(set.Find(""), 2U);
  EXPECT_EQ(set.Find("c"), NameSet::kNone);
}

TEST(NameSet, AnEmptyListHasNothing) {
  NameSet set;
  EXPECT_EQ(set.Find("a"), NameSet::kNone) << "before any list";
  EXPECT_EQ(set.Assign({}), NameSet::kNone);
  EXPECT_EQ(set.Find("a"), NameSet::kNone);
}

// The model: a map that is made anew for each list.
TEST(NameSet, IsWhatTheLastListSaysWhateverCameBefore) {
  EXPECT_TRUE(rc::check("equals a map", [](const std::vector<std::vector<uint8_t>>& lists) {
    NameSet set;
    for (const std::vector<uint8_t>& list : lists) {
      std::vector<std::string> texts;
      for (const uint8_t number : list) texts.push_back("node-" + std::to_string(number));
      const std::vector<std::string_view> names(texts.begin(), texts.end());
      std::map<std::string_view, size_t> model;
      size_t twice = NameSet::kNone;
      for (size_t i = 0; i < names.size() && twice == NameSet::kNone; ++i) {
        if (!model.emplace(names[i], i).second) twice = i;
      }
      RC_ASSERT(set.Assign(names) == twice);
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
