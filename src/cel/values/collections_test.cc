#include "cel/values/collections.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace outrigger::cel {
namespace {

TEST(List, OneThatGrowsIsAppendedToInPlace) {
  Arena arena;
  Value list = Value::List(nullptr, 0);
  for (int64_t i = 0; i < 100'000; ++i) {
    const Value item = Value::Int(i);
    list = AppendedList(arena, list, {&item, 1});
  }
  EXPECT_EQ(list.size(), 100'000U);
  EXPECT_EQ(ItemsOf(list)[99'999].integer(), 99'999);
  EXPECT_LT(arena.used(), size_t{100'000} * 16 * 5) << "not a copy for each item";
}

TEST(List, TwoThatGrowFromOneDoNotMix) {
  Arena arena;
  const Value one = Value::Int(1);
  const Value two = Value::Int(2);
  const Value base = AppendedList(arena, MakeList(arena, {&one, 1}), {&one, 1});
  const Value a = AppendedList(arena, base, {&one, 1});
  const Value b = AppendedList(arena, base, {&two, 1});
  EXPECT_EQ(ItemsOf(a)[2].integer(), 1);
  EXPECT_EQ(ItemsOf(b)[2].integer(), 2);
}

TEST(Map, KeysAreFoundAlsoInLargeMaps) {
  Arena arena;
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back("key-" + std::to_string(i));
  Value map = Value::Map(nullptr, 0);
  for (const std::string& name : names)
    map = InsertedMap(arena, map, Value::String(name), Value::Int(1));
  EXPECT_EQ(map.size(), 500U);
  for (const std::string& name : names)
    EXPECT_NE(FindKey(map, Value::String(name)), nullptr) << name;
  EXPECT_EQ(FindKey(map, Value::String("key-500")), nullptr);
  EXPECT_TRUE(InsertedMap(arena, map, Value::String("key-7"), Value::Int(2)).IsError());
}

TEST(Map, NumbersOfAllKindsAreOneKey) {
  Arena arena;
  for (const int64_t others : {0, 40}) {
    std::vector<MapEntry> entries;
    for (int64_t i = 0; i <= others; ++i) entries.push_back({Value::Int(i), Value::Int(i * 10)});
    const Value map = MakeMap(arena, entries);
    ASSERT_NE(FindKey(map, Value::Uint(0)), nullptr);
    EXPECT_NE(FindKey(map, Value::Double(0.0)), nullptr);
    EXPECT_EQ(FindKey(map, Value::Double(0.5)), nullptr);
    EXPECT_EQ(FindKey(map, Value::String("0")), nullptr);
  }
}

TEST(Map, OfEqualKeysTheLastCounts) {
  Arena arena;
  const std::vector<MapEntry> entries = {{Value::String("a"), Value::Int(1)},
                                         {Value::String("a"), Value::Int(2)}};
  const Value map = MakeMap(arena, entries);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(FindKey(map, Value::String("a"))->integer(), 2);
}

}  // namespace
}  // namespace outrigger::cel
