#include "serve/server/series.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace outrigger::server {
namespace {

TEST(SeriesTable, MakesAValueOnceByName) {
  SeriesTable<std::string> table(8);
  std::deque<std::string> made;
  const auto make = [&](std::string_view name) { return &made.emplace_back(name); };
  std::string& first = table.Get("a", make);
  EXPECT_EQ(first, "a");
  EXPECT_EQ(&table.Get("a", make), &first);
  EXPECT_NE(&table.Get("b", make), &first);
  EXPECT_EQ(made.size(), 2U);
}

TEST(SeriesTable, CountsWhatExceedsTheCapAsOther) {
  SeriesTable<std::string> table(2);
  std::deque<std::string> made;
  const auto make = [&](std::string_view name) { return &made.emplace_back(name); };
  for (int i = 0; i < 100; ++i) table.Get("name-" + std::to_string(i), make);
  EXPECT_EQ(made, (std::deque<std::string>{"name-0", "name-1", "other"}));
  EXPECT_EQ(table.Get("name-1", make), "name-1") << "known names keep their own value";
  EXPECT_EQ(table.Get("name-99", make), "other");
}

/// Four threads ask for the same 100 names of a table that takes 64.
void GrowFromFourThreads() {
  SeriesTable<int> table(64);
  std::deque<int> made;
  const auto make = [&](std::string_view) { return &made.emplace_back(0); };
  std::vector<std::thread> threads;
  std::vector<std::vector<int*>> seen(4);
  for (std::vector<int*>& mine : seen) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) mine.push_back(&table.Get(std::to_string(i), make));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made.size(), 65U);
  // All threads ask in the same order, so the first 64 have values of their own.
  for (size_t i = 0; i < 64; ++i) {
    for (const auto& mine : seen) EXPECT_EQ(mine[i], seen[0][i]) << i;
  }
}

TEST(SeriesTable, IsReadWhileItGrows) {
  for (int round = 0; round < 30 && !::testing::Test::HasFailure(); ++round) GrowFromFourThreads();
}

}  // namespace
}  // namespace outrigger::server
