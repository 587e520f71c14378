#include "lab/framework/node_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakeNode;

TEST(NodeCache, ListsNodesByName) {
  NodeCache cache;
  cache.Upsert(MakeNode("b"));
  cache.Upsert(MakeNode("a"));
  const auto nodes = cache.Snapshot();
  ASSERT_EQ(nodes->size(), 2);
  EXPECT_EQ((*nodes)[0]->name, "a");
  EXPECT_EQ((*nodes)[1]->name, "b");
}

TEST(NodeCache, SaysWhatWasKnownBefore) {
  NodeCache cache;
  EXPECT_EQ(cache.Upsert(MakeNode("a")), nullptr);
  EXPECT_FALSE(cache.Upsert(MakeNode("a").Unschedulable())->unschedulable);
  EXPECT_TRUE(cache.Remove("a")->unschedulable);
  EXPECT_EQ(cache.Remove("a"), nullptr);
}

TEST(NodeCache, KeepsAListThatIsInUse) {
  NodeCache cache;
  cache.Upsert(MakeNode("a"));
  const auto before = cache.Snapshot();
  EXPECT_EQ(cache.Snapshot(), before) << "one list until a node changes";
  cache.Remove("a");
  EXPECT_EQ(before->size(), 1);
  EXPECT_TRUE(cache.Snapshot()->empty());
  EXPECT_FALSE(cache.Has("a"));
}

}  // namespace
}  // namespace outrigger::lab
