#include "sdk/names/name_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sdk/names/hash.h"

namespace outrigger::names {
namespace {

size_t Find(const NameTable& table, std::string_view name) {
  return table.Find(name, HashOf(name));
}

TEST(NameTable, FindsTheSlotOfEachNameAndNoOther) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < 1000; ++i) texts.push_back("node-" + std::to_string(i));
  std::vector<std::pair<std::string_view, size_t>> names;
  for (size_t i = 0; i < texts.size(); ++i) names.emplace_back(texts[i], (i * 7) % 1000);
  const NameTable table(names);
  EXPECT_EQ(table.size(), 1000U);
  for (const auto& [name, slot] : names) EXPECT_EQ(Find(table, name), slot) << name;
  EXPECT_EQ(Find(table, "node-1000"), NameTable::kNone);
  EXPECT_EQ(Find(table, ""), NameTable::kNone);
}

TEST(NameTable, WithoutNamesFindsNothing) {
  EXPECT_EQ(Find(NameTable({}), "a"), NameTable::kNone);
}

// Where they come in the table's order, in another, by stretches, and with strangers in between.
TEST(NameTable, FindsManyAsItFindsEach) {
  std::vector<std::string> texts;
  std::vector<std::pair<std::string_view, size_t>> held;
  for (size_t i = 0; i < 1000; ++i) texts.push_back("node-" + std::to_string(i));
  for (size_t i = 0; i < texts.size(); i += 1 + i % 2) held.emplace_back(texts[i], i * 3);
  const NameTable table(held);
  EXPECT_TRUE(rc::check("as Find()", [&] {
    std::vector<std::string_view> names;
    const auto stretches = *rc::gen::container<std::vector<std::pair<size_t, size_t>>>(
        rc::gen::pair(rc::gen::inRange<size_t>(0, 1000), rc::gen::inRange<size_t>(1, 60)));
    for (const auto& [from, length] : stretches) {
      for (size_t i = from; i < std::min(from + length, texts.size()); ++i) {
        names.push_back(texts[i]);
      }
    }
    size_t visited = 0;
    table.FindAll(names, [&](size_t i, size_t slot) {
      RC_ASSERT(i == visited);
      RC_ASSERT(slot == Find(table, names[i]));
      ++visited;
    });
    RC_ASSERT(visited == names.size());
  }));
}

// The names are the table's own: those it was made from may go.
TEST(NameTable, VisitsEachNameOnce) {
  std::map<std::string, size_t> seen;
  const auto made = [] {
    const std::vector<std::string> texts = {"a-name-that-is-long-enough", "b", ""};
    return NameTable({{texts[0], 2}, {texts[1], 0}, {texts[2], 5}});
  }();
  made.ForEach([&](std::string_view name, size_t slot) { seen[std::string(name)] += slot + 1; });
  EXPECT_EQ(seen,
            (std::map<std::string, size_t>{{"a-name-that-is-long-enough", 3}, {"b", 1}, {"", 6}}));
}

}  // namespace
}  // namespace outrigger::names
