// Many actions at once: how often is written, and what is left after a fault between any two
// writes.
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "devices/writer/custodian.h"
#include "devices/writer/device_world_testing.h"
#include "devices/writer/holdings.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using outrigger::testing::CustomWrite;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::StoreChooser;
using testing::World;

class BatchHost final : public CustodyHost {
 public:
  explicit BatchHost(World* world) : world_(*world) {}
  absl::StatusOr<PodFact> ReadPod(std::string_view, std::string_view name,
                                  const CallLimits&) override {
    on_read();
    const auto pod = world_.pods.find(std::string(name));
    if (pod == world_.pods.end()) return absl::NotFoundError("no such pod");
    return pod->second;
  }
  absl::StatusOr<std::vector<PodFact>> ReadPods(std::string_view, const CallLimits&) override {
    return world_.Pods();
  }
  absl::Status Serve(const Action&, const CallLimits&) override { return absl::OkStatus(); }
  void Report(const Action& action) override { reports.push_back(action.reason); }

  std::function<void()> on_read = [] {};
  std::vector<std::string> reports;

 private:
  World& world_;
};

class CustodyBatch : public ::testing::Test {
 protected:
  CustodyBatch() { world_.AddCountPool("p", "n", 4096); }

  // Claims "c0"... with one device each of a pool, and entries for them.
  void AddHeld(int count, const std::string& pool = "p", bool has_pod = true) {
    std::vector<PoolEntry> entries = world_.Pool(pool).entries;
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("{}-c{}", pool, i);
      world_.AddClaim(name, 1);
      if (has_pod) world_.AddPod("of-" + name, {name});
      const std::vector<Allocation> held = {{pool, "", 1, {}}};
      ClaimStatus status;
      status.state = ClaimState::kAllocated;
      status.node = "n";
      status.allocations = held;
      status.pods = {{"of-" + name, "uid-of-" + name}};
      Patch(kClaimKind, "ns", name, ClaimStatusPatch(status));
      PoolEntry entry;
      entry.claim_namespace = "ns";
      entry.claim_name = name;
      entry.claim_uid = world_.Claim(name).version.uid;
      entry.pod_name = "of-" + name;
      entry.pod_uid = "uid-of-" + name;
      entry.confirmed = true;
      entry.holding = held;
      entries.push_back(std::move(entry));
    }
    Patch(kPoolKind, "", pool, PoolStatusPatch(world_.Pool(pool), entries));
  }
  void Patch(const CustomKind& kind, const std::string& namespace_, const std::string& name,
             const std::string& patch) {
    ASSERT_TRUE(
        world_.api.PatchCustomStatus(kind, {.namespace_ = namespace_, .name = name}, patch, {})
            .ok());
  }
  void AddOrphans(int count) {
    AddHeld(count, "p", /*has_pod=*/false);
    for (int i = 0; i < count; ++i) world_.api.Delete(kClaimKind, "ns", fmt::format("p-c{}", i));
  }
  void EndPods() {
    for (auto& [name, pod] : world_.pods) pod.finished = true;
  }

  std::vector<Action> Actions() {
    const auto pools = world_.Pools();
    const auto claims = world_.Claims();
    const auto pods = world_.Pods();
    intents_.Look(pools, claims, world_.now, testing::Steady(world_.now));
    return Decide({.pools = pools, .claims = claims, .pods = pods, .intents = intents_});
  }
  Carried Carry(std::span<const Action> actions) {
    StoreChooser chooser(&world_);
    WriterOptions options;
    options.identity = "custodian";
    options.wall = [this] { return world_.now; };
    options.now = [this] { return now_; };
    return Carrier(&world_.api, &host_, &chooser, &intents_, options).Carry(actions, {});
  }
  // As often as there is something.
  void Settle() {
    for (int i = 0; i < 10; ++i) {
      const std::vector<Action> actions = Actions();
      if (actions.empty()) return;
      (void)Carry(actions);
    }
    ADD_FAILURE() << "there is always something to do";
  }
  size_t WritesOf(const std::string& kind) {
    size_t count = 0;
    for (const CustomWrite& write : world_.api.Writes()) count += write.kind == kind ? 1 : 0;
    return count;
  }
  // Every device that a claim has is its own in the pool, too.
  void ExpectEntriesOfAllocated() {
    for (const ClaimObject& claim : world_.Claims()) {
      for (const std::string& pool : device_writer::PoolsOf(HoldingOf(claim))) {
        EXPECT_NE(device_writer::FindEntry(world_.Pool(pool), claim.version.uid), nullptr)
            << claim.claim.name;
      }
    }
  }

  World world_;
  Clock::TimePoint now_{std::chrono::hours(1)};
  IntentWatch intents_{std::chrono::seconds(60)};
  BatchHost host_{&world_};
};

TEST_F(CustodyBatch, AThousandOrphansOfAPoolGoInOneWrite) {
  AddOrphans(1000);
  const size_t before = world_.api.Writes().size();
  const Carried carried = Carry(Actions());
  EXPECT_THAT(carried.statuses, SizeIs(1000));
  EXPECT_THAT(world_.Pool("p").entries, IsEmpty());
  EXPECT_EQ(world_.api.Writes().size() - before, 1U);
}

TEST_F(CustodyBatch, ClaimsOfEndedPodsAreFreedBeforeOneWriteOfEachPool) {
  world_.AddCountPool("q", "n", 100);
  AddHeld(30);
  AddHeld(20, "q");
  EndPods();
  const size_t pools = WritesOf("DevicePool");
  const size_t claims = WritesOf("DeviceClaim");
  world_.api.After([this](const CustomWrite&) {
    ExpectEntriesOfAllocated();
    return absl::OkStatus();
  });
  for (const absl::Status& status : Carry(Actions()).statuses) EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(WritesOf("DeviceClaim") - claims, 50U);
  EXPECT_EQ(WritesOf("DevicePool") - pools, 2U);
  EXPECT_THAT(world_.Pool("p").entries, IsEmpty());
  EXPECT_THAT(world_.Pool("q").entries, IsEmpty());
}

TEST_F(CustodyBatch, APoolThatAnotherWritesIsLeftForFewerAtOnce) {
  AddOrphans(10);
  int left = 1;
  world_.api.Before([&](const CustomWrite&) {
    return left-- > 0 ? absl::AbortedError("409") : absl::OkStatus();
  });
  const std::vector<Action> actions = Actions();
  const Carried carried = Carry(actions);
  EXPECT_THAT(carried.with_fewer, SizeIs(10));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(10));
  const Carried next = Carry(std::span(actions).first(3));
  EXPECT_THAT(next.with_fewer, IsEmpty());
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(7));
  left = 1;
  EXPECT_THAT(Carry(std::span(actions).subspan(3, 1)).with_fewer, IsEmpty())
      << "fewer there is not";
}

TEST_F(CustodyBatch, AClaimThatChangesKeepsItsEntryAndTheOthersGo) {
  AddHeld(9);
  EndPods();
  world_.api.Before([](const CustomWrite& write) {
    return write.name == "p-c4" ? absl::AbortedError("409") : absl::OkStatus();
  });
  (void)Carry(Actions());
  ASSERT_THAT(world_.Pool("p").entries, SizeIs(1));
  EXPECT_EQ(world_.Pool("p").entries[0].claim_name, "p-c4");
  EXPECT_TRUE(IsAllocated(world_.Claim("p-c4")));
}

// The number of writes that arrive, of which the last one may have no answer.
class FaultOfBatch : public CustodyBatch,
                     public ::testing::WithParamInterface<std::tuple<int, bool>> {};

constexpr int kClaimsOfBatch = 5;

TEST_P(FaultOfBatch, GivesNothingTwice) {
  const auto [writes, has_no_answer] = GetParam();
  AddHeld(kClaimsOfBatch);
  EndPods();
  int left = writes;
  const auto die = [&left](const CustomWrite&) {
    return left-- > 0 ? absl::OkStatus() : absl::CancelledError("dead");
  };
  const std::vector<Action> actions = Actions();
  world_.api.Before(has_no_answer ? nullptr : outrigger::testing::FakeCustomObjects::Hook(die));
  world_.api.After(has_no_answer ? outrigger::testing::FakeCustomObjects::Hook(die) : nullptr);
  (void)Carry(actions);
  world_.api.Before(nullptr);
  world_.api.After(nullptr);
  ExpectEntriesOfAllocated();
  Settle();
  EXPECT_THAT(world_.Pool("p").entries, IsEmpty());
  for (const ClaimObject& claim : world_.Claims()) EXPECT_FALSE(IsAllocated(claim));
}

INSTANTIATE_TEST_SUITE_P(AfterWrites, FaultOfBatch,
                         ::testing::Combine(::testing::Range(0, kClaimsOfBatch + 2),
                                            ::testing::Bool()));

TEST_F(CustodyBatch, AClaimThatGetsAnotherPodWhilePodsAreReadIsNotFreed) {
  AddHeld(2);
  ClaimStatus status;
  status.state = ClaimState::kAllocated;
  status.node = "n";
  status.allocations = {{"p", "", 1, {}}};
  status.pods = {{"of-p-c0", "uid-of-p-c0"}};
  Patch(kClaimKind, "ns", "p-c1", ClaimStatusPatch(status));  // both are the pod's
  EndPods();
  const std::vector<Action> actions = Actions();
  world_.pods.erase("of-p-c0");
  bool is_first = true;
  host_.on_read = [&] {
    if (!std::exchange(is_first, false)) return;
    world_.AddPod("again", {"p-c1"});
    status.pods = {{"again", "uid-again"}};
    Patch(kClaimKind, "ns", "p-c1", ClaimStatusPatch(status));
  };
  (void)Carry(actions);
  EXPECT_TRUE(IsAllocated(world_.Claim("p-c1"))) << "its new pod is not bound yet";
  EXPECT_FALSE(IsAllocated(world_.Claim("p-c0")));
}

TEST_F(CustodyBatch, EntriesOfAPoolThatWasMadeAgainAreWrittenAtOnceAsFarAsThereIsRoom) {
  AddHeld(40);
  for (auto& [name, pod] : world_.pods) pod.node = "n";
  world_.MakePoolAgain("p");
  auto pool = *world_.api.Get(kPoolKind, "", "p");
  pool["spec"]["count"] = 30;
  world_.api.Put(kPoolKind, pool);
  const size_t before = WritesOf("DevicePool");
  (void)Carry(Actions());
  EXPECT_EQ(WritesOf("DevicePool") - before, 1U);
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(30));
  EXPECT_THAT(host_.reports, SizeIs(10));
}

TEST_F(CustodyBatch, OnceItsTimeIsOverTheRestIsLeft) {
  AddHeld(20);
  EndPods();
  world_.api.Before([this](const CustomWrite&) {
    now_ += std::chrono::milliseconds(400);
    return absl::OkStatus();
  });
  const std::vector<Action> actions = Actions();
  const Carried carried = Carry(actions);
  EXPECT_THAT(carried.statuses, SizeIs(3));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(17));
  ExpectEntriesOfAllocated();
}

}  // namespace
}  // namespace outrigger::devices
