#include "devices/writer/writer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "writer_testing.h"

namespace outrigger::devices {
namespace {

using outrigger::testing::CustomWrite;
using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::StoreChooser;

TEST_F(WriterTest, OneClaimOnOnePoolCostsThreeWrites) {
  const auto written = Write({"one"});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(Writes(), 2U);
  const PoolObject pool = world_.Pool("p");
  ASSERT_THAT(pool.entries, SizeIs(1));
  const PoolEntry& intent = pool.entries[0];
  EXPECT_FALSE(intent.confirmed);
  EXPECT_EQ(intent.deadline, At(60));
  EXPECT_EQ(intent.writer, "me");
  EXPECT_EQ(intent.pod_name, "pod");
  EXPECT_EQ(intent.pod_uid, "uid-pod");
  EXPECT_EQ(pool.free, 1);
  const ClaimObject claim = world_.Claim("one");
  EXPECT_EQ(claim.state, ClaimState::kAllocated);
  EXPECT_EQ(claim.node, "n");
  EXPECT_EQ(claim.class_text, "k");
  EXPECT_EQ(claim.observed_generation, claim.version.generation);
  EXPECT_THAT(claim.claim.allocations, ElementsAre(Allocation{"p", "a", 1, {}}));
  EXPECT_THAT(claim.pods, ElementsAre(PodReference{"pod", "uid-pod"}));

  EXPECT_TRUE(Confirm(*written).ok());
  EXPECT_EQ(Writes(), 3U);
  const PoolEntry confirmed = world_.Pool("p").entries.at(0);
  EXPECT_TRUE(confirmed.confirmed);
  EXPECT_EQ(confirmed.deadline, std::nullopt);
  EXPECT_EQ(confirmed.writer, "");
}

TEST_F(WriterTest, AFurtherPoolCostsTwoWritesAndAFurtherClaimOne) {
  const auto two_pools = Write({"three"});
  ASSERT_TRUE(two_pools.ok()) << two_pools.status();
  ASSERT_TRUE(Confirm(*two_pools).ok());
  EXPECT_EQ(Writes(), 3U + 2U);
  ASSERT_TRUE(GiveBack(*two_pools).ok());

  world_.AddClaim("other", 1);
  const size_t before = Writes();
  const auto two_claims = Write({"one", "other"});
  ASSERT_TRUE(two_claims.ok()) << two_claims.status();
  ASSERT_TRUE(Confirm(*two_claims).ok());
  EXPECT_EQ(Writes() - before, 3U + 1U);
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(2));
}

TEST_F(WriterTest, PoolsComeBeforeTheClaimAndByName) {
  ASSERT_TRUE(Write({"three"}).ok());
  std::vector<std::string> names;
  for (const CustomWrite& write : world_.api.Writes()) names.push_back(write.name);
  EXPECT_THAT(names, ElementsAre("p", "q", "three"));
}

TEST_F(WriterTest, GivesBackTheClaimFirst) {
  const auto written = Write({"three"});
  ASSERT_TRUE(written.ok());
  const size_t before = Writes();
  EXPECT_TRUE(GiveBack(*written).ok());
  std::vector<std::string> names;
  for (const CustomWrite& write : world_.api.Writes()) names.push_back(write.name);
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_THAT(names, ElementsAre("three", "p", "q"));
  ExpectAllFree();
  EXPECT_EQ(world_.Claim("three").state, ClaimState::kPending);
  EXPECT_EQ(world_.Pool("p").free, 2);
  // Once is enough, and twice is no harm.
  EXPECT_TRUE(GiveBack(*written).ok());
  ExpectAllFree();
}

TEST_F(WriterTest, ASecondPodSharesTheClaimForOneWrite) {
  const auto first = Write({"one"});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Confirm(*first).ok());
  const size_t before = Writes();
  const auto second = Write({"one"}, "second");
  ASSERT_TRUE(second.ok()) << second.status();
  ASSERT_TRUE(Confirm(*second).ok());
  EXPECT_EQ(Writes() - before, 1U);
  EXPECT_THAT(world_.Claim("one").pods, SizeIs(2));
  // Again: the claim changes its version, so that nothing that is on its way frees it.
  const auto again = Write({"one"}, "second");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(Writes() - before, 2U);
  EXPECT_THAT(world_.Claim("one").pods, SizeIs(2));
  // What was written before that is not given back any more.
  ASSERT_TRUE(GiveBack(*second).ok());
  EXPECT_THAT(world_.Claim("one").pods, SizeIs(2));
  // Nor what was the pod's before.
  ASSERT_TRUE(GiveBack(*again).ok());
  EXPECT_THAT(world_.Claim("one").pods, SizeIs(2));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
  EXPECT_TRUE(world_.Pool("p").entries[0].confirmed);
}

TEST_F(WriterTest, OnePodGivesASharedClaimBackAndTheOtherOneKeepsIt) {
  const auto first = Write({"one"});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Confirm(*first).ok());
  const auto second = Write({"one"}, "second");
  ASSERT_TRUE(second.ok()) << second.status();
  ASSERT_TRUE(GiveBack(*second).ok());
  EXPECT_THAT(world_.Claim("one").pods, ElementsAre(PodReference{"pod", "uid-pod"}));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
  EXPECT_TRUE(world_.Pool("p").entries[0].confirmed);
}

TEST_F(WriterTest, TheSamePodAgainRenewsItsIntents) {
  ASSERT_TRUE(Write({"one"}).ok());
  world_.now = At(50);
  ASSERT_TRUE(Write({"one"}).ok());
  EXPECT_EQ(world_.Pool("p").entries.at(0).deadline, At(110));
  EXPECT_THAT(world_.Claim("one").pods, SizeIs(1));
}

TEST_F(WriterTest, AClaimOnAnotherNodeIsRefused) {
  ASSERT_TRUE(Write({"one"}).ok());
  const auto second = Write({"one"}, "second", "other");
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(second.status().message()), "claim ns/one is allocated on node n");
}

TEST_F(WriterTest, AStaleViewIsMadeGoodAndTheChoiceIsMadeAgain) {
  StoreChooser stale(&world_);
  ASSERT_TRUE(Write({"one"}).ok());
  world_.AddClaim("other", 1);
  const auto written =
      Writer("you").Write(world_.PodOn("second", "n"), Claims({"other"}), &stale, {});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(stale.choices, 2);
  EXPECT_THAT(world_.Claim("other").claim.allocations, ElementsAre(Allocation{"p", "b", 1, {}}));
}

TEST_F(WriterTest, WhatIsOfAdminAccessHasNoEntries) {
  class Watching final : public Chooser {
   public:
    absl::StatusOr<Choice> Choose(const PodOnNode&, std::span<const ClaimObject>) override {
      Choice choice;
      choice.grants.push_back({{{"p", "a", 1, {}, true}, {"p", "b", 1, {}, true}}, {}});
      return choice;
    }
    std::optional<PoolObject> FindPool(std::string_view) override { return std::nullopt; }
    void SeePool(const PoolObject&) override {}
    void LosePool(std::string_view, std::string_view) override {}
    void SeeClaim(const ClaimObject&) override {}
    void LoseClaim(const CustomObjectName&, bool) override {}
  };
  ASSERT_TRUE(Write({"one"}).ok());
  world_.AddClaim("watch", 2);
  const size_t before = Writes();
  Watching chooser;
  const auto written = Writer().Write(world_.PodOn("second", "n"), Claims({"watch"}), &chooser, {});
  ASSERT_TRUE(written.ok()) << written.status();
  ASSERT_TRUE(Writer().Confirm(*written, &chooser, {}).ok());
  EXPECT_EQ(Writes() - before, 1U);
  EXPECT_THAT(world_.Claim("watch").claim.allocations, SizeIs(2));
  EXPECT_TRUE(Writer().GiveBack(*written, &chooser, {}).ok());
  EXPECT_FALSE(IsAllocated(world_.Claim("watch")));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
}

TEST_F(WriterTest, AnEmbeddedClaimIsCreatedOnceAndIsThePods) {
  const PodClaim embedded{"nic", "pod-nic", false, R"({"deviceClass":"k"})"};
  const PodOnNode pod = world_.PodOn("pod", "n");
  Answer("DeviceClaim", 1, absl::UnavailableError("away"), true);
  const auto created = Writer().CreateEmbedded(pod, embedded, {});
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_EQ(created->owner_pod_uid, "uid-pod");
  const auto again = Writer().CreateEmbedded(pod, embedded, {});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->version.uid, created->version.uid);
  PodOnNode other = pod;
  other.uid = "another";
  const absl::Status refused = Writer().CreateEmbedded(other, embedded, {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("DeviceClaim ns/pod-nic belongs to another pod"));
}

}  // namespace
}  // namespace outrigger::devices
