#include "outrigger/devices/writer.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device_world.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using outrigger::testing::CustomWrite;
using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::StoreChooser;
using testing::World;

class WriterTest : public ::testing::Test {
 protected:
  WriterTest() {
    world_.AddPool("p", "n", {"a", "b"});
    world_.AddPool("q", "n", {"c", "d"});
    world_.AddPool("far", "other", {"e"});
    world_.AddClaim("one", 1);
    world_.AddClaim("three", 3);
    world_.AddPod("pod", {"one"});
    world_.AddPod("second", {"one"});
  }

  WriterOptions Options(std::string identity = "me") {
    WriterOptions options;
    options.identity = std::move(identity);
    options.most_tries = 4;
    options.wall = [this] { return world_.now; };
    return options;
  }
  AllocationWriter Writer(std::string identity = "me") {
    return AllocationWriter(&world_.api, Options(std::move(identity)));
  }
  std::vector<ClaimObject> Claims(const std::vector<std::string>& names) {
    std::vector<ClaimObject> claims;
    for (const std::string& name : names) claims.push_back(world_.Claim(name));
    return claims;
  }
  // Writes with what is known now.
  absl::StatusOr<Written> Write(const std::vector<std::string>& names,
                                const std::string& pod = "pod", const std::string& node = "n") {
    StoreChooser chooser(&world_);
    return Writer().Write(world_.PodOn(pod, node), Claims(names), &chooser, {});
  }
  absl::Status Confirm(const Written& written) {
    StoreChooser chooser(&world_);
    return Writer().Confirm(written, &chooser, {});
  }
  absl::Status GiveBack(const Written& written) {
    StoreChooser chooser(&world_);
    return Writer().GiveBack(written, &chooser, {});
  }
  size_t Writes() { return world_.api.Writes().size(); }
  void ExpectAllFree() {
    for (const PoolObject& pool : world_.Pools()) EXPECT_THAT(pool.entries, IsEmpty());
    for (const ClaimObject& claim : world_.Claims()) {
      EXPECT_FALSE(IsAllocated(claim));
      EXPECT_THAT(claim.pods, IsEmpty());
    }
  }
  // The first `times` writes of that kind are answered by `answer`; `after`: they happen.
  void Answer(const std::string& kind, int times, const absl::Status& answer, bool after) {
    auto left = std::make_shared<int>(times);
    const auto hook = [=](const CustomWrite& write) {
      return write.kind == kind && (*left)-- > 0 ? answer : absl::OkStatus();
    };
    if (after) {
      world_.api.After(hook);
    } else {
      world_.api.Before(hook);
    }
  }

  World world_;
};

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
  // One pod gives it back, the other one keeps it.
  ASSERT_TRUE(GiveBack(*again).ok());
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

TEST_F(WriterTest, EachErrorHasItsOutcome) {
  const absl::Status conflict = absl::AbortedError("conflict");
  const absl::Status busy = absl::ResourceExhaustedError("429");
  const absl::Status broken = absl::InternalError("500");
  const absl::Status away = absl::UnavailableError("away");
  struct Row {
    const char* kind;
    int times;
    absl::Status answer;
    bool after;
    absl::StatusCode code;  // kOk: it succeeds
    const char* error;
  };
  using absl::StatusCode;
  for (const Row& row : {
           Row{"DevicePool", 1, conflict, false, StatusCode::kOk, ""},
           Row{"DevicePool", 99, conflict, false, StatusCode::kAborted,
               "pool p changed 4 times while devices were written"},
           Row{"DevicePool", 1, busy, false, StatusCode::kResourceExhausted, "pool p: 429"},
           Row{"DevicePool", 1, broken, false, StatusCode::kOk, ""},
           Row{"DevicePool", 1, away, true, StatusCode::kOk, ""},
           Row{"DevicePool", 99, away, false, StatusCode::kUnavailable, "pool p: away"},
           Row{"DeviceClaim", 1, conflict, false, StatusCode::kOk, ""},
           Row{"DeviceClaim", 1, busy, false, StatusCode::kResourceExhausted, "claim ns/one: 429"},
           Row{"DeviceClaim", 1, broken, false, StatusCode::kOk, ""},
           Row{"DeviceClaim", 1, away, true, StatusCode::kOk, ""},
           Row{"DeviceClaim", 4, broken, false, StatusCode::kInternal, "claim ns/one: 500"},
           Row{"DeviceClaim", 1, absl::NotFoundError("gone"), false, StatusCode::kNotFound,
               "claim ns/one: gone"},
       }) {
    SCOPED_TRACE(std::string(row.kind) + " " + row.answer.ToString());
    Answer(row.kind, row.times, row.answer, row.after);
    const auto written = Write({"one"});
    world_.api.Before(nullptr);
    world_.api.After(nullptr);
    EXPECT_EQ(written.status().code(), row.code) << written.status();
    EXPECT_THAT(std::string(written.status().message()), HasSubstr(row.error));
    if (written.ok()) {
      EXPECT_THAT(world_.Claim("one").claim.allocations, SizeIs(1));
      EXPECT_TRUE(GiveBack(*written).ok());
    }
    ExpectAllFree();
  }
}

// Another one writes the claim between the reading and step 2.
TEST_F(WriterTest, AClaimThatChangesIsWrittenInItsNewVersion) {
  bool is_changed = false;
  world_.api.Before([&](const CustomWrite& write) {
    if (write.kind == "DeviceClaim" && !std::exchange(is_changed, true)) {
      auto claim = *world_.api.Get(kClaimKind, "ns", "one");
      claim["spec"]["minDeviceCount"] = 2;
      world_.api.Put(kClaimKind, claim);
    }
    return absl::OkStatus();
  });
  const auto written = Write({"one"});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_THAT(world_.Claim("one").claim.allocations, SizeIs(2));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
}

TEST_F(WriterTest, AClaimThatChangesEachTimeIsAnError) {
  int changes = 0;
  world_.api.Before([&](const CustomWrite& write) {
    if (write.kind == "DeviceClaim") {
      auto claim = *world_.api.Get(kClaimKind, "ns", "one");
      claim["metadata"]["annotations"]["n"] = std::to_string(++changes);
      world_.api.Put(kClaimKind, claim);
    }
    return absl::OkStatus();
  });
  const auto written = Write({"one"});
  EXPECT_EQ(written.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(std::string(written.status().message()),
            "claim ns/one changed 4 times while devices were written");
  ExpectAllFree();
}

TEST_F(WriterTest, AClaimThatIsGoneIsAnError) {
  world_.api.Before([&](const CustomWrite& write) {
    if (write.kind == "DeviceClaim") world_.api.Delete(kClaimKind, "ns", "one");
    return absl::OkStatus();
  });
  EXPECT_EQ(Write({"one"}).status().code(), absl::StatusCode::kNotFound);
  ExpectAllFree();
}

TEST_F(WriterTest, AnotherPodsIntentIsRespectedUntilItsDeadline) {
  const PoolObject pool = world_.Pool("p");
  PoolEntry entry;
  entry.claim_namespace = "ns";
  entry.claim_name = "one";
  entry.claim_uid = world_.Claim("one").version.uid;
  entry.pod_name = "pod";
  entry.pod_uid = "uid-pod";
  entry.deadline = At(60);
  entry.writer = "dead";
  entry.holding = {{"p", "a", 1, {}}};
  const std::vector<PoolEntry> entries = {entry};
  ASSERT_TRUE(world_.api
                  .PatchCustomStatus(kPoolKind, {.namespace_ = {}, .name = "p"},
                                     PoolStatusPatch(pool, entries), {})
                  .ok());
  const ClaimObject before = world_.Claim("one");
  const auto refused = Write({"one"}, "second");
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(std::string(refused.status().message()),
            "claim ns/one is being allocated for pod pod until 2026-01-15T08:01:00Z");
  // Its own pod goes on at once, and another one after the deadline: both with a fence.
  world_.now = At(60);
  const auto written = Write({"one"}, "second");
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(world_.Pool("p").entries.at(0).writer, "me");
  const auto late =
      world_.api.PatchCustomStatus(kClaimKind,
                                   {.namespace_ = "ns",
                                    .name = "one",
                                    .uid = before.version.uid,
                                    .resource_version = before.version.resource_version},
                                   "{}", {});
  EXPECT_TRUE(absl::IsAborted(late.status()));
}

TEST_F(WriterTest, WhatIsLateIsGivenBack) {
  for (const char* kind : {"DevicePool", "DeviceClaim"}) {
    world_.now = At(0);
    world_.api.After([&](const CustomWrite& write) {
      if (write.kind == kind && world_.now == At(0)) world_.now = At(61);
      return absl::OkStatus();
    });
    const auto written = Write({"one"});
    world_.api.After(nullptr);
    EXPECT_EQ(written.status().code(), absl::StatusCode::kDeadlineExceeded) << kind;
    EXPECT_EQ(std::string(written.status().message()),
              "the intents of pod ns/pod expired at 2026-01-15T08:01:00Z before its devices were "
              "written");
    ExpectAllFree();
  }
}

// A write without an answer may be performed after all else.
TEST_F(WriterTest, AClaimWithoutAnswerCannotBeWrittenAfterItsIntentsAreGone) {
  std::vector<std::string> late;
  const std::string version = world_.Claim("one").version.resource_version;
  world_.api.Before([&](const CustomWrite& write) {
    const bool is_commit = write.body.find("\"Allocated\"") != std::string::npos;
    if (write.kind != "DeviceClaim" || !is_commit) return absl::OkStatus();
    late.push_back(write.body);
    return absl::DeadlineExceededError("no answer");
  });
  EXPECT_EQ(Write({"one"}).status().code(), absl::StatusCode::kDeadlineExceeded);
  world_.api.Before(nullptr);
  ExpectAllFree();
  ASSERT_FALSE(late.empty());
  const auto arrived = world_.api.PatchCustomStatus(
      kClaimKind, {.namespace_ = "ns", .name = "one", .uid = {}, .resource_version = version},
      late[0], {});
  EXPECT_TRUE(absl::IsAborted(arrived.status()));
  ExpectAllFree();
}

TEST_F(WriterTest, APrivilegedClaimHasNoEntries) {
  class Watching final : public Chooser {
   public:
    absl::StatusOr<Choice> Choose(const PodOnNode&, std::span<const ClaimObject>) override {
      Choice choice;
      choice.grants.push_back({{{"p", "a", 1, {}}, {"p", "b", 1, {}}}, {}});
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
  EXPECT_EQ(Writer().CreateEmbedded(other, embedded, {}).status().code(),
            absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace outrigger::devices
