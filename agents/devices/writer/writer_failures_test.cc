// What becomes of writes that fail, or that others come between.
#include "devices/writer/writer.h"

#include <chrono>
#include <string>
#include <utility>
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

class WriterFailures : public WriterTest {};

TEST_F(WriterFailures, EachErrorHasItsOutcome) {
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
TEST_F(WriterFailures, AClaimThatChangesIsWrittenInItsNewVersion) {
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

TEST_F(WriterFailures, AClaimThatChangesEachTimeIsAnError) {
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

TEST_F(WriterFailures, AClaimThatIsGoneIsAnError) {
  world_.api.Before([&](const CustomWrite& write) {
    if (write.kind == "DeviceClaim") world_.api.Delete(kClaimKind, "ns", "one");
    return absl::OkStatus();
  });
  EXPECT_EQ(Write({"one"}).status().code(), absl::StatusCode::kNotFound);
  ExpectAllFree();
}

TEST_F(WriterFailures, AnotherPodsIntentIsRespectedUntilItsDeadline) {
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

// The binding and clocks that differ need 15 of the 60 seconds.
TEST_F(WriterFailures, WhatLeavesNoTimeForTheBindingIsGivenBack) {
  for (const char* kind : {"DevicePool", "DeviceClaim"}) {
    for (const int second : {45, 46}) {
      world_.now = At(0);
      world_.api.After([&](const CustomWrite& write) {
        if (write.kind == kind && world_.now == At(0)) world_.now = At(second);
        return absl::OkStatus();
      });
      const size_t before = Writes();
      const auto written = Write({"one"});
      world_.api.After(nullptr);
      if (second == 45) {
        ASSERT_TRUE(written.ok()) << written.status();
        ASSERT_TRUE(GiveBack(*written).ok());
        continue;
      }
      EXPECT_EQ(written.status().code(), absl::StatusCode::kDeadlineExceeded) << kind;
      EXPECT_EQ(std::string(written.status().message()),
                "the intents of pod ns/pod expire at 2026-01-15T08:01:00Z: too little time left to "
                "bind it");
      EXPECT_EQ(Writes() - before, kind == std::string("DevicePool") ? 2U : 4U);
      ExpectAllFree();
    }
  }
}

TEST_F(WriterFailures, OneTimeIsForAllCallsAndGivingBackHasItsOwn) {
  std::chrono::steady_clock::time_point now;
  WriterOptions options = Options();
  options.now = [&] { return now; };
  world_.api.After([&](const CustomWrite&) {
    now += std::chrono::seconds(4);
    return absl::OkStatus();
  });
  StoreChooser chooser(&world_);
  const AllocationWriter writer(&world_.api, options);
  const auto written = writer.Write(world_.PodOn("pod", "n"), Claims({"three"}), &chooser,
                                    {.timeout = std::chrono::seconds(7)});
  EXPECT_EQ(written.status(),
            absl::ResourceExhaustedError("claim ns/three: the 7000 ms for its calls are used up"));
  ExpectAllFree();
}

TEST_F(WriterFailures, ThePodThatWasReadSaysHowTheBindingEnded) {
  struct Row {
    absl::StatusOr<std::string> node;
    bool may_be_bound;
    BindingEnd end;
  };
  for (const Row& row : {Row{std::string("n"), false, BindingEnd::kBound},
                         Row{std::string("n"), true, BindingEnd::kBound},
                         Row{std::string("other"), true, BindingEnd::kNotBound},
                         Row{absl::NotFoundError("gone"), true, BindingEnd::kNotBound},
                         Row{std::string(), false, BindingEnd::kNotBound},
                         Row{std::string(), true, BindingEnd::kOpen},
                         Row{absl::UnavailableError("away"), false, BindingEnd::kOpen}}) {
    EXPECT_EQ(EndOf(world_.PodOn("pod", "n"), row.node, row.may_be_bound), row.end)
        << row.node.status() << " " << row.may_be_bound;
  }
}

TEST_F(WriterFailures, WhatWasThePodsBeforeIsNotGivenBack) {
  const auto first = Write({"one"});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Confirm(*first).ok());
  world_.AddClaim("other", 1);
  // It is bound, and a scheduler that does not know that binds it again.
  const auto again = Write({"one", "other"});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(again->had, ElementsAre(world_.Claim("one").version.uid));
  ASSERT_TRUE(GiveBack(*again).ok());
  EXPECT_TRUE(IsAllocated(world_.Claim("one")));
  EXPECT_THAT(world_.Claim("one").pods, SizeIs(1));
  EXPECT_FALSE(IsAllocated(world_.Claim("other")));
  ASSERT_THAT(world_.Pool("p").entries, SizeIs(1));
  EXPECT_TRUE(world_.Pool("p").entries[0].confirmed);
  // The same where the second claim cannot be written.
  world_.api.Before([&](const CustomWrite& write) {
    return write.name == "other" ? absl::ResourceExhaustedError("429") : absl::OkStatus();
  });
  EXPECT_TRUE(absl::IsResourceExhausted(Write({"one", "other"}).status()));
  EXPECT_THAT(world_.Claim("one").pods, SizeIs(1));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
}

// A pod that shared the claim may run with its devices.
TEST_F(WriterFailures, EntriesOfASharedClaimThatIsDeletedAreLeftToTheCustodian) {
  ASSERT_TRUE(Write({"one"}).ok());  // bound, and not confirmed yet
  const auto second = Write({"one"}, "second");
  ASSERT_TRUE(second.ok()) << second.status();
  world_.api.Delete(kClaimKind, "ns", "one");
  EXPECT_TRUE(GiveBack(*second).ok());
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
}

TEST_F(WriterFailures, EntriesOfADeletedClaimOfThePodAloneAreRemoved) {
  const auto written = Write({"one"});
  ASSERT_TRUE(written.ok());
  world_.api.Delete(kClaimKind, "ns", "one");
  EXPECT_TRUE(GiveBack(*written).ok());
  ExpectAllFree();
}

TEST_F(WriterFailures, AnEntryThatASharingPodWroteIsThatPodsToConfirm) {
  const auto first = Write({"one"});
  ASSERT_TRUE(first.ok());
  const auto second = Write({"one"}, "second");
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(Confirm(*first).ok());
  EXPECT_FALSE(world_.Pool("p").entries.at(0).confirmed);
  EXPECT_TRUE(Confirm(*second).ok());
  EXPECT_TRUE(world_.Pool("p").entries.at(0).confirmed);
}

// A write without an answer may be performed after all else.
TEST_F(WriterFailures, AClaimWithoutAnswerCannotBeWrittenAfterItsIntentsAreGone) {
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

}  // namespace
}  // namespace outrigger::devices
