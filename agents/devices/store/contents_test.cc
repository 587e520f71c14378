// What the agent knows of devices, by what it followed and what it wrote.
#include "store/contents.h"

#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::ElementsAre;
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

// What is seen or answered, one after the other.
struct Step {
  enum class What : uint8_t { kPut, kGone, kBegin, kEnd };
  What what = What::kPut;
  std::string version;
  int64_t count = 0;
  Source from = Source::kWatch;
  std::string uid = "u";
};
Step Shown(std::string version, int64_t count, std::string uid = "u") {
  return {Step::What::kPut, std::move(version), count, Source::kWatch, std::move(uid)};
}
Step Answered(std::string version, int64_t count, std::string uid = "u") {
  return {Step::What::kPut, std::move(version), count, Source::kWrite, std::move(uid)};
}
Step Deleted(std::string version) {
  return {Step::What::kGone, std::move(version), 0, Source::kWatch, ""};
}
/// A read found none of this UID.
Step NotFound(std::string uid) {
  return {Step::What::kGone, "", 0, Source::kWrite, std::move(uid)};
}
const Step kBegin{Step::What::kBegin, "", 0, Source::kWatch, ""};
Step End(std::string version) {
  return {Step::What::kEnd, std::move(version), 0, Source::kWatch, ""};
}

void Do(const Step& step, Contents* contents) {
  switch (step.what) {
    case Step::What::kPut:
      contents->Put(PoolOf(step.version, step.count, step.uid), step.from);
      break;
    case Step::What::kGone:
      contents->RemovePool("p", {step.from, step.uid, step.version});
      break;
    case Step::What::kBegin:
      contents->BeginPools();
      break;
    case Step::What::kEnd:
      contents->EndPools(step.version);
      break;
  }
}

TEST(DevicesContents, TheNewestVersionCounts) {
  struct Row {
    std::string name;
    std::vector<Step> steps;
    int64_t expected;  // 0: there is none
  };
  const Row rows[] = {
      {"the watch goes on", {Shown("5", 1), Shown("6", 2)}, 2},
      {"a watch that is restored from a backup", {Shown("50", 1), Shown("6", 2)}, 2},
      {"an own write is seen at once", {Shown("5", 1), Answered("6", 2)}, 2},
      {"the watch does not undo an own write",
       {Shown("5", 1), Answered("9", 2), Shown("7", 3), Shown("8", 4)},
       2},
      {"nor by a version of fewer digits", {Shown("9", 1), Answered("10", 2), Shown("9", 3)}, 2},
      {"until it has shown that or more", {Answered("9", 2), Shown("10", 3), Shown("8", 4)}, 4},
      {"the answer of a write that the watch has overtaken",
       {Shown("5", 1), Shown("7", 3), Answered("6", 2)},
       3},
      {"versions that are no numbers are not compared", {Answered("b", 2), Shown("a", 3)}, 3},
      // What is gone.
      {"a deletion", {Shown("5", 1), Deleted("7")}, 0},
      {"an answer that comes after the deletion",
       {Shown("5", 1), Deleted("7"), Answered("6", 2)},
       0},
      {"of what the watch showed at no time", {Deleted("7"), Answered("6", 2)}, 0},
      {"the same once others were shown",
       {Shown("5", 1), Deleted("7"), Shown("8", 3, "new"), Deleted("9"), Answered("6", 2)},
       0},
      {"a deletion ends what is ahead of the watch",
       {Shown("5", 1), Answered("6", 2), Deleted("7")},
       0},
      {"not found by a read", {Shown("5", 1), NotFound("u")}, 0},
      {"and shown late, until the deletion",
       {Shown("5", 1), NotFound("u"), Shown("6", 2), Deleted("7")},
       0},
      // Another object of the name.
      {"a successor", {Shown("5", 1), Deleted("7"), Shown("8", 3, "new")}, 3},
      {"a late answer of the first one", {Shown("8", 3, "new"), Answered("6", 2)}, 3},
      {"the same while the watch is late", {Answered("8", 3, "new"), Answered("6", 2)}, 3},
      {"the watch shows the first one late", {Answered("8", 3, "new"), Shown("6", 2)}, 3},
      {"and its deletion", {Shown("5", 1), Answered("8", 3, "new"), Deleted("7")}, 3},
      {"the first one is not found", {Shown("8", 3, "new"), NotFound("u")}, 3},
      // Lists.
      {"a list may tell otherwise", {Answered("9", 2), kBegin, Shown("3", 1), End("4")}, 1},
      {"a list that lacks it", {Shown("5", 1), kBegin, End("6")}, 0},
      {"a list that lacks what was written before it", {Answered("5", 1), kBegin, End("6")}, 0},
      {"a list that lacks what was written after it", {kBegin, Answered("9", 2), End("6")}, 2},
      {"an answer that the list has overtaken", {kBegin, End("6"), Answered("5", 2)}, 0},
      {"an answer to a write after the list", {kBegin, End("6"), Answered("7", 2)}, 2},
      {"what a list has in any order", {kBegin, Shown("9", 1), Answered("7", 2, "x"), End("9")}, 1},
      {"a list of a server restored from a backup",
       {Shown("50", 1), Answered("60", 2), kBegin, End("6")},
       0},
      {"after which versions count anew", {Shown("50", 1), kBegin, End("6"), Answered("7", 2)}, 2},
      {"a list that broke off", {Shown("5", 1), kBegin, kBegin, Shown("5", 1), End("6")}, 1},
      {"the kind is not served", {Shown("5", 1), Answered("9", 2), kBegin, End("")}, 0},
      {"and is again", {Shown("5", 1), kBegin, End(""), Answered("3", 2)}, 2},
  };
  for (const Row& row : rows) {
    Contents contents;
    for (const Step& step : row.steps) Do(step, &contents);
    const auto pool = contents.FindPool("p");
    EXPECT_EQ(contents.inventory().UseOf("p").total, row.expected) << row.name;
    EXPECT_EQ(pool == nullptr ? 0 : *pool->pool.count, row.expected) << row.name;
  }
}

TEST(DevicesContents, AnAnswerAfterTheDeletionOfAClaimHoldsNothing) {
  Contents contents;
  contents.Put(PoolOf("1", 4), Source::kWatch);
  ClaimObject claim = ClaimOf("foozer");
  claim.version.resource_version = "5";
  contents.Put(claim, Source::kWatch);
  EXPECT_TRUE(contents.RemoveClaim("default", "c", false,
                                   {.from = Source::kWatch, .uid = {}, .version = "7"}));
  claim.version.resource_version = "6";
  EXPECT_FALSE(contents.Put(claim, Source::kWrite));
  EXPECT_EQ(contents.inventory().UseOf("p").used, 0);
  contents.BeginClaims(false);
  claim.version.resource_version = "9";
  contents.Put(claim, Source::kWatch);
  EXPECT_FALSE(contents.EndClaims(false, "9"));
  EXPECT_EQ(contents.inventory().UseOf("p").used, 2);
  contents.BeginClaims(false);
  EXPECT_TRUE(contents.EndClaims(false, "10"));
  EXPECT_EQ(contents.inventory().UseOf("p").used, 0);
}

// A pod may wait for that: of its own claim the name is free now.
TEST(DevicesContents, AClaimThatIsGoneIsNews) {
  Contents contents;
  contents.Put(ClaimOf("foozer"), Source::kWatch);
  contents.TakeTouched();
  contents.RemoveClaim("default", "c", false, {.from = Source::kWatch, .uid = {}, .version = "7"});
  EXPECT_THAT(contents.TakeTouched().claims, ElementsAre("default/c"));
}

// Spec and class may be others than those for which the devices were given.
TEST(DevicesContents, WhatTheStatusDoesNotMarkAsOfAdminAccessIsHeldWhateverTheClassSays) {
  Contents contents;
  contents.Put(PoolOf("1", 4), Source::kWatch);
  ClassObject of;
  of.of.name = "monitor";
  of.of.driver = "d";
  of.of.admin_access = true;
  of.version.uid = "u";
  contents.Put(of, Source::kWatch);
  ClaimObject claim = ClaimOf("monitor");
  claim.claim.allocations.push_back({"p", "", 1, {}, true});
  contents.Put(claim, Source::kWatch);
  EXPECT_EQ(contents.inventory().UseOf("p").used, 2);
  EXPECT_TRUE(contents.RemoveClass("monitor", {}));
  EXPECT_EQ(contents.inventory().UseOf("p").used, 2);
  claim.claim.allocations[0].admin_access = true;
  contents.Put(claim, Source::kWatch);
  EXPECT_EQ(contents.inventory().UseOf("p").used, 0);
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
