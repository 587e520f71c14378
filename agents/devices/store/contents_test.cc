// What the agent knows of devices, by what it followed and what it wrote.
#include "store/contents.h"

#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::SizeIs;

PoolObject PoolOf(const std::string& version, int64_t count, const std::string& uid = "u") {
  PoolObject pool;
  pool.pool.name = "p";
  pool.pool.node = "n1";
  pool.pool.driver = "d";
  pool.pool.count = count;
  pool.version.uid = uid;
  pool.version.resource_version = version;
  return pool;
}

TEST(DevicesContents, TheNewestVersionCounts) {
  struct Put {
    std::string version;
    int64_t count;
    Source from;
    std::string uid = "u";
  };
  struct Row {
    std::string name;
    std::vector<Put> puts;
    int64_t expected;
  };
  const Source watch = Source::kWatch;
  const Source write = Source::kWrite;
  const Row rows[] = {
      {"the watch goes on", {{"5", 1, watch}, {"6", 2, watch}}, 2},
      {"a watch that is restored from a backup", {{"50", 1, watch}, {"6", 2, watch}}, 2},
      {"an own write is seen at once", {{"5", 1, watch}, {"6", 2, write}}, 2},
      {"the watch does not undo an own write",
       {{"5", 1, watch}, {"9", 2, write}, {"7", 3, watch}, {"8", 4, watch}},
       2},
      {"nor by a version of fewer digits", {{"9", 1, watch}, {"10", 2, write}, {"9", 3, watch}}, 2},
      {"until it has shown that or more", {{"9", 2, write}, {"10", 3, watch}, {"8", 4, watch}}, 4},
      {"the answer of a write that the watch has overtaken",
       {{"5", 1, watch}, {"7", 3, watch}, {"6", 2, write}},
       3},
      {"another object of the name", {{"9", 2, write}, {"7", 3, watch, "other"}}, 3},
      {"versions that are no numbers are not compared", {{"b", 2, write}, {"a", 3, watch}}, 3},
  };
  for (const Row& row : rows) {
    Contents contents;
    for (const Put& put : row.puts) contents.Put(PoolOf(put.version, put.count, put.uid), put.from);
    EXPECT_EQ(contents.inventory().UseOf("p").total, row.expected) << row.name;
    EXPECT_EQ(contents.FindPool("p")->pool.count, row.expected) << row.name;
  }
}

TEST(DevicesContents, AListThatBeginsMayTellOtherwise) {
  Contents contents;
  contents.Put(PoolOf("9", 2), Source::kWrite);
  contents.OnPoolList();
  contents.Put(PoolOf("3", 1), Source::kWatch);
  EXPECT_EQ(contents.FindPool("p")->pool.count, 1);
}

TEST(DevicesContents, APoolThatIsGoneByItsUid) {
  Contents contents;
  contents.Put(PoolOf("9", 2, "new"), Source::kWrite);
  EXPECT_FALSE(contents.RemovePool("p", "old"));
  EXPECT_NE(contents.inventory().FindPool("p"), nullptr);
  EXPECT_TRUE(contents.RemovePool("p", "new"));
  EXPECT_EQ(contents.inventory().FindPool("p"), nullptr);
}

ClaimObject ClaimOf(const std::string& device_class) {
  ClaimObject claim;
  claim.claim.namespace_ = "default";
  claim.claim.name = "c";
  claim.version.uid = "u";
  claim.claim.requests.resize(1);
  claim.claim.requests[0].details.resize(1);
  claim.claim.requests[0].details[0].device_class = device_class;
  claim.claim.allocations.resize(1);
  claim.claim.allocations[0].pool = "p";
  claim.claim.allocations[0].count = 2;
  claim.state = ClaimState::kAllocated;
  return claim;
}

TEST(DevicesContents, WhatAdminAccessHasOthersMayHaveToo) {
  Contents contents;
  contents.Put(PoolOf("1", 4), Source::kWatch);
  contents.Put(ClaimOf("monitor"), Source::kWatch);
  EXPECT_EQ(contents.inventory().UseOf("p").used, 2) << "the class is not known yet";
  ClassObject of;
  of.of.name = "monitor";
  of.of.driver = "d";
  of.of.admin_access = true;
  of.version.uid = "u";
  contents.Put(of, Source::kWatch);
  EXPECT_EQ(contents.inventory().UseOf("p").used, 0);
  EXPECT_TRUE(contents.RemoveClass("monitor", "u"));
  EXPECT_EQ(contents.inventory().UseOf("p").used, 2) << "never less than what statuses say";
}

TEST(DevicesContents, WithoutGivesBack) {
  Contents contents;
  contents.Put(PoolOf("1", 4), Source::kWatch);
  contents.Put(ClaimOf("foozer"), Source::kWatch);
  {
    const Contents::Without without(&contents, {"default/c"});
    EXPECT_EQ(contents.inventory().UseOf("p").used, 0);
  }
  EXPECT_EQ(contents.inventory().UseOf("p").used, 2);
  EXPECT_THAT(contents.HeldBy("default/c"), SizeIs(1));
}

}  // namespace
}  // namespace outrigger::devices::agent
