// The custodian by itself, round by round.
#include "control/custody.h"

#include <algorithm>
#include <string>
#include <vector>

#include "calls/binding.h"
#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::AllOf;
using testing::CustomWrite;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class DevicesCustody : public DevicesTest {
 protected:
  DevicesCustody() {
    store_.OnChange([this] { custody_.OnChange(); });
    store_.Follow(&cluster_);
  }
  ~DevicesCustody() override { store_.Stop(); }

  std::chrono::system_clock::time_point Wall() const {
    return std::chrono::system_clock::time_point() + ahead_ +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(now_.time_since_epoch());
  }
  Clock::Duration Round() { return custody_.Round({}); }
  /// Rounds as they fall due.
  void RunFor(Clock::Duration time) {
    const Clock::TimePoint until = now_ + time;
    while (now_ < until) {
      ++rounds_;
      now_ += std::max<Clock::Duration>(Round(), std::chrono::milliseconds(50));
    }
  }
  void PutBound(const std::string& name, std::string_view claims) {
    PutPod(name, claims);
    cluster_.Change(name, [](Pod* pod) { pod->node_name = "n1"; });
  }
  /// An entry of a claim that is gone.
  void PutLeftover() {
    Json pool = Get(kPoolKind, "n1-0");
    pool["status"]["allocations"] = {{{"claimUID", "no-such-claim"},
                                      {"claimNamespace", "default"},
                                      {"claimName", "gone"},
                                      {"state", "Confirmed"},
                                      {"deviceCount", 4}}};
    cluster_.custom().Put(kPoolKind, pool);
  }
  /// Entries of so many claims that are gone.
  void PutLeftovers(int count) {
    Json pool = Get(kPoolKind, "n1-0");
    Json entries = Json::array();
    for (int i = 0; i < count; ++i) {
      entries.push_back({{"claimUID", fmt::format("no-such-claim-{}", i)},
                         {"claimNamespace", "default"},
                         {"claimName", fmt::format("gone-{}", i)},
                         {"state", "Confirmed"},
                         {"deviceCount", 1}});
    }
    pool["status"]["allocations"] = entries;
    cluster_.custom().Put(kPoolKind, pool);
  }
  size_t Left() { return StatusOf(kPoolKind, "n1-0")["allocations"].size(); }
  /// Writes of objects of this name get this answer, and are counted.
  void Refuse(const std::string& name, absl::Status answer) {
    cluster_.custom().Before([this, name, answer](const CustomWrite& write) {
      if (write.name != name) return absl::OkStatus();
      ++refused_;
      return answer;
    });
  }
  /// Another process has written the claim for the pod, until `end`, and is binding the pod.
  void PutBeingBound(std::chrono::system_clock::time_point end) {
    PutClaim("c", 4);
    const Pod pod = PutPodOf("p", "c");
    PoolEntry intent;
    intent.claim_namespace = "default";
    intent.claim_name = "c";
    intent.claim_uid = Get(kClaimKind, "c")["metadata"]["uid"];
    intent.pod_name = pod.name;
    intent.pod_uid = pod.uid;
    intent.deadline = end;
    intent.writer = "other";
    intent.holding = {{"n1-0", "", 4, {}}};
    const auto pool = ParsePool(Get(kPoolKind, "n1-0").dump());
    ASSERT_TRUE(pool.ok()) << pool.status();
    ASSERT_TRUE(cluster_
                    .PatchCustomStatus(kPoolKind, {.namespace_ = {}, .name = "n1-0"},
                                       PoolStatusPatch(*pool, {&intent, 1}), {})
                    .ok());
    ClaimStatus status;
    status.state = ClaimState::kAllocated;
    status.node = "n1";
    status.allocations = intent.holding;
    status.pods = {{pod.name, pod.uid}};
    ASSERT_TRUE(cluster_
                    .PatchCustomStatus(kClaimKind, {.namespace_ = "default", .name = "c"},
                                       ClaimStatusPatch(status), {})
                    .ok());
  }
  std::vector<std::string> Events() {
    std::vector<std::string> events;
    for (const ClusterEvent& event : cluster_.events()) {
      events.push_back(fmt::format("{} {} {}: {}", event.kind.empty() ? "Pod" : event.kind,
                                   event.name, event.reason, event.note));
    }
    return events;
  }
  std::string StateOf(const std::string& claim) {
    return StatusOf(kClaimKind, claim).value("state", "nothing");
  }

  static constexpr const char* kEmbedded = R"([{"name":"a","claim":{"deviceClass":"foozer"}}])";

  Clock::TimePoint now_{std::chrono::hours(500'000)};
  std::chrono::seconds ahead_{0};  // of this process' clock
  int rounds_ = 0;
  int refused_ = 0;
  std::vector<std::string> said_;  // in the log
  std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  Allocator allocator_{*selectors_, {.always_resolve = true}};
  DeviceStore store_;
  Judge judge_{store_, allocator_};
  Binding binding_{{&cluster_,
                    NoMetrics::Instance(),
                    {.identity = "me",
                     .intent_time = std::chrono::seconds(60),
                     .wall = [this] { return Wall(); }}},
                   &store_,
                   judge_,
                   allocator_};
  Custody custody_{{&cluster_,
                    NoMetrics::Instance(),
                    [this](std::string_view line) { said_.emplace_back(line); },
                    {.now = [this] { return now_; }, .wall = [this] { return Wall(); }}},
                   &store_,
                   &binding_};
};

TEST_F(DevicesCustody, AClaimThatIsRefusedHoldsUpNothingElse) {
  struct Row {
    absl::Status answer;
    std::string note;
  };
  const Row rows[] = {
      {absl::InvalidArgumentError("spec: Invalid value"), "spec: Invalid value"},
      {absl::PermissionDeniedError("deviceclaims is forbidden"), "deviceclaims is forbidden"},
      {absl::AlreadyExistsError("taken"), "taken"}};
  PutNodes(1, 4);
  int64_t i = 0;
  for (const Row& row : rows) {
    const std::string name = fmt::format("p{}", ++i);
    const size_t before = Events().size();
    refused_ = 0;
    Refuse(name + "-a", row.answer);
    PutLeftover();
    PutBound(name, kEmbedded);
    custody_.OnChange();
    now_ += std::chrono::seconds(1);
    (void)Round();
    EXPECT_TRUE(custody_.Recovered().ok()) << custody_.Recovered();
    EXPECT_TRUE(StatusOf(kPoolKind, "n1-0")["allocations"].empty());
    RunFor(std::chrono::minutes(10));
    EXPECT_GE(refused_, 5) << "what is in the way may go";
    EXPECT_LE(refused_, 14);
    ASSERT_THAT(Events(), SizeIs(before + 1)) << "once";
    EXPECT_THAT(Events().back(),
                AllOf(StartsWith("Pod " + name + " DevicesRefused: "), HasSubstr(row.note)));
    cluster_.RemovePod(name);
  }
}

TEST_F(DevicesCustody, AClaimWhoseStatusIsRefusedSaysSo) {
  PutNodes(1, 4);
  PutClaim("c", 1);
  Refuse("c", absl::InvalidArgumentError("status: Invalid value"));
  PutBound("p", R"([{"name":"a","claimName":"c"}])");
  (void)Round();
  EXPECT_THAT(
      Events(),
      ElementsAre(AllOf(StartsWith("Pod p DevicesRefused: "), HasSubstr("Invalid value")),
                  AllOf(StartsWith("DeviceClaim c DevicesRefused: "), HasSubstr("Invalid value"))));
}

TEST_F(DevicesCustody, ARefusedActionOfNoPodIsSaidAtItsClaim) {
  PutNodes(1, 4);
  PutLeftover();
  Refuse("n1-0", absl::PermissionDeniedError("devicepools/status is forbidden"));
  RunFor(std::chrono::minutes(1));
  EXPECT_TRUE(custody_.Recovered().ok());
  EXPECT_THAT(Events(), ElementsAre(AllOf(StartsWith("DeviceClaim gone DevicesRefused: "),
                                          HasSubstr("devicepools/status is forbidden"))));
  EXPECT_LE(refused_, 8);
}

TEST_F(DevicesCustody, AClaimThatIsGoneIsHeldForPodsThatNameItUntilTheyCannotBeBoundAnyMore) {
  PutNodes(1, 4);
  PutLeftover();
  PutPodOf("p", "gone");
  (void)Round();
  ASSERT_THAT(StatusOf(kPoolKind, "n1-0")["allocations"], SizeIs(1));
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0")["allocations"][0]["state"], "Intent");
  RunFor(std::chrono::seconds(55));
  EXPECT_THAT(StatusOf(kPoolKind, "n1-0")["allocations"], SizeIs(1));
  RunFor(std::chrono::seconds(10));
  EXPECT_TRUE(StatusOf(kPoolKind, "n1-0")["allocations"].empty());
}

TEST_F(DevicesCustody, AClaimIsNotFreedWhileItsPodMayBeBoundHoweverFarAheadTheClockIs) {
  PutNodes(1, 4);
  const auto end = Wall() + std::chrono::seconds(60);  // of the other process
  ahead_ = std::chrono::minutes(10);
  PutBeingBound(end);
  RunFor(std::chrono::seconds(59));
  EXPECT_EQ(StateOf("c"), "Allocated");
  RunFor(std::chrono::seconds(3));
  EXPECT_EQ(StateOf("c"), "Pending");
  EXPECT_TRUE(StatusOf(kPoolKind, "n1-0")["allocations"].empty());
}

TEST_F(DevicesCustody, APodWithoutRoomIsLookedAtNowAndThenAndServedOnceThereIsSome) {
  PutNodes(1, 4);
  PutClaim("c", 4);
  PutBound("p", R"([{"name":"a","claimName":"c"}])");
  (void)Round();
  ASSERT_EQ(StateOf("c"), "Allocated");
  PutClaim("d", 4);
  PutBound("q", R"([{"name":"a","claimName":"d"}])");
  custody_.OnChange();
  rounds_ = 0;
  RunFor(std::chrono::minutes(2));
  EXPECT_LE(rounds_, 15);
  EXPECT_TRUE(custody_.Recovered().ok());
  EXPECT_THAT(Events(), ElementsAre(AllOf(StartsWith("Pod q DevicesConflict: "),
                                          HasSubstr("4 in use by default/c"))));
  cluster_.RemovePod("p");
  custody_.OnChange();
  RunFor(std::chrono::seconds(40));
  EXPECT_EQ(StateOf("d"), "Allocated");
}

TEST_F(DevicesCustody, ABoundPodWhoseAnnotationCannotBeReadSaysSo) {
  PutNodes(1, 4);
  PutBound("p", R"([{"name":"a"}])");
  PutPod("waits", R"([{"name":"a"}])");
  RunFor(std::chrono::minutes(2));
  EXPECT_TRUE(custody_.Recovered().ok());
  EXPECT_THAT(Events(), ElementsAre(AllOf(StartsWith(
                            "Pod p DevicesConflict: the pod is bound, its claims cannot "
                            "be read: annotation devmgmtproto.k8s.io/device-claims: claims[0]"))));
}

// A driver may have given the devices to the pod, which runs.
TEST_F(DevicesCustody, WhatABoundPodGotItKeepsWhereAnotherClaimIsRefused) {
  PutNodes(1, 4);
  PutClaim("c", 2);
  PutClaim("d", 2);
  PutBound("p", R"([{"name":"a","claimName":"c"},{"name":"b","claimName":"d"}])");
  Refuse("d", absl::InvalidArgumentError("no"));
  (void)Round();
  EXPECT_EQ(StateOf("c"), "Allocated");
  ASSERT_THAT(StatusOf(kPoolKind, "n1-0")["allocations"], SizeIs(1));
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0")["allocations"][0]["claimName"], "c");
  Refuse("", {});
  RunFor(std::chrono::minutes(1));
  EXPECT_EQ(StateOf("d"), "Allocated");
  EXPECT_EQ(StatusOf(kPoolKind, "n1-0")["allocations"][0]["state"], "Confirmed");
}

TEST_F(DevicesCustody, WhatRecoveryWaitsForIsSaid) {
  PutNodes(1, 4);
  PutLeftover();
  PutBound("p", kEmbedded);
  EXPECT_THAT(std::string(custody_.Recovered().message()), HasSubstr("first look"));
  cluster_.SetUsable(absl::UnavailableError("pods are not known yet"));
  (void)Round();
  EXPECT_THAT(std::string(custody_.Recovered().message()), HasSubstr("pods are not known yet"));
  cluster_.SetUsable(absl::OkStatus());
  std::vector<std::string> causes;
  cluster_.custom().Before([&](const CustomWrite&) {
    causes.emplace_back(custody_.Recovered().message());
    return absl::UnavailableError("away");
  });
  (void)Round();
  ASSERT_GE(causes.size(), 2U);
  EXPECT_THAT(causes.front(), HasSubstr("0 of 2 tried, now RemoveEntry default/gone in pool n1-0"));
  EXPECT_THAT(causes.back(), HasSubstr("1 of 2 tried, now ServeBoundPod default/p"));
  EXPECT_TRUE(custody_.Recovered().ok());
}

TEST_F(DevicesCustody, AThousandOrphansOfAPoolCostOneWriteAndOneForEachConflict) {
  PutNodes(1, 4096);
  PutLeftovers(1000);
  int conflicts = 2;
  int writes = 0;
  cluster_.custom().Before([&](const CustomWrite&) {
    ++writes;
    return conflicts-- > 0 ? absl::AbortedError("409") : absl::OkStatus();
  });
  RunFor(std::chrono::seconds(5));
  EXPECT_EQ(Left(), 0U);
  // 1000, 250, then 62, 124, 248, 496 and 70.
  EXPECT_LE(writes, 2 + 5);
}

TEST_F(DevicesCustody, OthersHaveATurnWhileALongListIsWorkedOff) {
  PutNodes(1, 4096);
  PutLeftovers(1000);
  size_t turns = 0;
  cluster_.custom().Before([&](const CustomWrite&) {
    now_ += std::chrono::seconds(3);  // a slow API server, and another writer
    return turns < 2 ? absl::AbortedError("409") : absl::OkStatus();
  });
  std::vector<size_t> left;
  while (turns < 20) {
    const Clock::Duration due = Round();
    ++turns;
    left.push_back(Left());
    if (custody_.Recovered().ok()) break;
    EXPECT_EQ(due, std::chrono::milliseconds(1));
  }
  EXPECT_THAT(left, ElementsAre(1000, 1000, 938, 814, 566, 70, 0));
}

// One of many may use up the time of all.
TEST_F(DevicesCustody, ABatchThatRunsOutOfTimeIsCut) {
  PutNodes(1, 4096);
  PutLeftovers(100);
  int writes = 0;
  cluster_.custom().Before([&](const CustomWrite&) {
    return ++writes <= 2 ? absl::DeadlineExceededError("no time left") : absl::OkStatus();
  });
  Round();
  EXPECT_EQ(Left(), 0u);
}

TEST_F(DevicesCustody, AnEntryThatIsRefusedHoldsUpNoOthersOfItsPool) {
  PutNodes(1, 4096);
  PutLeftovers(40);
  cluster_.custom().Before([](const CustomWrite& write) {
    // It refuses to let go of one.
    return write.body.find("\"gone-17\"") == std::string::npos
               ? absl::InvalidArgumentError("status: Invalid value")
               : absl::OkStatus();
  });
  RunFor(std::chrono::seconds(5));
  EXPECT_EQ(Left(), 1U);
}

}  // namespace
}  // namespace outrigger::devices::agent
