#include "cel/values/arena.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace outrigger::cel {
namespace {

TEST(Arena, HandsOutAtMostItsLimit) {
  Arena arena(1000);
  EXPECT_NE(arena.Allocate<char>(900), nullptr);
  EXPECT_FALSE(arena.exhausted());
  EXPECT_EQ(arena.Allocate<char>(200), nullptr);
  EXPECT_TRUE(arena.exhausted());
  EXPECT_EQ(arena.Allocate<char>(1), nullptr) << "until it is reset";
  arena.Reset();
  EXPECT_NE(arena.Allocate<char>(900), nullptr);
}

TEST(Arena, ManyObjectsDoNotOverflowTheCount) {
  Arena arena;
  EXPECT_EQ(arena.Allocate<uint64_t>(SIZE_MAX / 4), nullptr);
}

TEST(Arena, UsesItsBlocksAgain) {
  Arena arena;
  const void* first = arena.Allocate<char>(100);
  arena.Reset();
  EXPECT_EQ(arena.Allocate<char>(100), first);
}

TEST(Arena, WhatIsStoredStaysInPlace) {
  Arena arena;
  const int* number = arena.Store(7);
  const std::string_view text = arena.StoreText("abc");
  for (int i = 0; i < 1000; ++i) arena.Allocate<char>(1000);
  EXPECT_EQ(*number, 7);
  EXPECT_EQ(text, "abc");
}

}  // namespace
}  // namespace outrigger::cel
