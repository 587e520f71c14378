#include "outrigger/k8s/string_map.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(StringMap, LastSettingWins) {
  StringMap map = {{"b", "1"}, {"a", "2"}, {"b", "3"}};
  map.Set("a", "4");
  EXPECT_THAT(map, ElementsAre(Pair("a", "4"), Pair("b", "3")));
}

TEST(StringMap, TellsAbsentFromEmpty) {
  const StringMap map = {{"a", ""}};
  EXPECT_TRUE(map.Contains("a"));
  EXPECT_FALSE(map.Contains("b"));
  EXPECT_EQ(map.Find("b"), nullptr);
  EXPECT_EQ(map.Get("b"), "");
}

TEST(StringMap, NormalizeKeepsTheLastOfEachKey) {
  StringMap map;
  for (const char* value : {"1", "2", "3"}) {
    map.Append("b", value);
    map.Append("a", value);
  }
  map.Normalize();
  EXPECT_THAT(map, ElementsAre(Pair("a", "3"), Pair("b", "3")));
}

TEST(StringMap, ClearEndsAnUnfinishedSeries) {
  StringMap map;
  map.Append("b", "1");
  map.Append("a", "1");
  map.clear();
  EXPECT_EQ(map.Find("a"), nullptr);
  EXPECT_EQ(map, StringMap());
}

TEST(StringMap, OrdersKeysAsBytes) {
  const StringMap map = {{"\xc3\xa9", "3"}, {"z", "2"}, {"Z", "1"}};
  EXPECT_THAT(map, ElementsAre(Pair("Z", "1"), Pair("z", "2"), Pair("\xc3\xa9", "3")));
}

// Quadratic work would take minutes here.
TEST(StringMap, HundredThousandHostileKeysAreRead) {
  StringMap map;
  for (int i = 0; i < 100'000; ++i) {
    map.Append("key-" + std::to_string(i * 7919 % 100'000), std::to_string(i));
  }
  for (int i = 0; i < 100'000; ++i) map.Append("same", std::to_string(i));
  map.Normalize();
  EXPECT_EQ(map.size(), 100'001u);
  EXPECT_EQ(map.Get("same"), "99999");
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(map.Get("key-" + std::to_string(i * 7919 % 100'000)), std::to_string(i));
  }
}

TEST(StringMapProperties, AgreesWithAStandardMapHoweverItIsFilled) {
  EXPECT_TRUE(rc::check("as std::map", [](const std::vector<std::pair<uint8_t, int>>& settings) {
    std::map<std::string, std::string> expected;
    StringMap set;
    StringMap appended;
    for (const auto& [number, value] : settings) {
      const std::string key = std::to_string(number);
      expected[key] = std::to_string(value);
      set.Set(key, std::to_string(value));
      appended.Append(key, std::to_string(value));
    }
    appended.Normalize();
    RC_ASSERT(set == appended);
    RC_ASSERT(std::equal(
        set.begin(), set.end(), expected.begin(), expected.end(),
        [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
    for (const auto& [key, value] : expected) RC_ASSERT(set.Get(key) == value);
    RC_ASSERT(!set.Contains("absent"));
  }));
}

}  // namespace
}  // namespace outrigger
