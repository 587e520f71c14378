#include "devices/writer/custodian.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "devices/writer/device_world_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::StoreChooser;
using testing::World;

/// A host that answers from the world and remembers what it is asked.
class Host final : public CustodyHost {
 public:
  explicit Host(World* world) : world_(*world) {}
  absl::StatusOr<PodFact> ReadPod(std::string_view, std::string_view name,
                                  const CallLimits&) override {
    const auto pod = world_.pods.find(std::string(name));
    if (pod == world_.pods.end()) return absl::NotFoundError("no such pod");
    return pod->second;
  }
  absl::StatusOr<std::vector<PodFact>> ReadPods(std::string_view, const CallLimits&) override {
    return world_.Pods();
  }
  absl::Status Serve(const Action& action, const CallLimits&) override {
    served.push_back(action.pod_name);
    return absl::OkStatus();
  }
  void Report(const Action& action) override { reports.push_back(action.reason); }

  std::vector<std::string> served;
  std::vector<std::string> reports;

 private:
  World& world_;
};

class CustodianTest : public ::testing::Test {
 protected:
  CustodianTest() {
    world_.AddPool("p", "n", {"a", "b"});
    world_.AddClaim("c", 1);
    world_.AddPod("pod", {"c"});
  }

  WriterOptions Options() {
    WriterOptions options;
    options.identity = "custodian";
    options.wall = [this] { return world_.now; };
    return options;
  }
  void Look() {
    intents_.Look(world_.Pools(), world_.Claims(), world_.now, testing::Steady(world_.now));
  }
  std::vector<Action> Actions() {
    const auto pools = world_.Pools();
    const auto claims = world_.Claims();
    const auto pods = world_.Pods();
    Look();
    return Decide({.pools = pools, .claims = claims, .pods = pods, .intents = intents_});
  }
  // "Confirm p c: claim and binding are written".
  std::vector<std::string> Decided() {
    std::vector<std::string> texts;
    for (const Action& action : Actions()) {
      texts.push_back(fmt::format("{} {} {}{}: {}", NameOf(action.kind), action.pool,
                                  action.claim_name, action.pod_name, action.reason));
    }
    return texts;
  }
  void Carry(const std::vector<Action>& actions) {
    StoreChooser chooser(&world_);
    Carrier carrier(&world_.api, &host_, &chooser, &intents_, Options());
    std::span<const Action> left = actions;
    while (!left.empty()) {
      const Carried carried = carrier.Carry(left, {});
      ASSERT_FALSE(carried.statuses.empty());
      for (const absl::Status& status : carried.statuses) EXPECT_TRUE(status.ok()) << status;
      left = left.subspan(carried.statuses.size());
    }
  }
  // Carries out all, as often as there is something.
  void Settle() {
    for (int i = 0; i < 5; ++i) Carry(Actions());
  }

  PoolEntry Entry(const std::string& device, bool confirmed = false) {
    PoolEntry entry;
    entry.claim_namespace = "ns";
    entry.claim_name = "c";
    entry.claim_uid = world_.Claim("c").version.uid;
    entry.pod_name = "pod";
    entry.pod_uid = "uid-pod";
    entry.confirmed = confirmed;
    if (!confirmed) {
      entry.deadline = At(60);
      entry.writer = "w";
    }
    entry.holding = {{"p", device, 1, {}}};
    return entry;
  }
  void SetEntries(const std::vector<PoolEntry>& entries) {
    const PoolObject pool = world_.Pool("p");
    ASSERT_TRUE(world_.api
                    .PatchCustomStatus(kPoolKind, {.namespace_ = {}, .name = "p"},
                                       PoolStatusPatch(pool, entries), {})
                    .ok());
    Look();
  }
  void SetAllocated(const std::string& device) { SetAllocations({{"p", device, 1, {}}}); }
  void SetAllocations(const std::vector<Allocation>& allocations) {
    ClaimStatus status;
    status.state = ClaimState::kAllocated;
    status.node = "n";
    status.allocations = allocations;
    status.pods = {{"pod", "uid-pod"}};
    ASSERT_TRUE(world_.api
                    .PatchCustomStatus(kClaimKind, {.namespace_ = "ns", .name = "c"},
                                       ClaimStatusPatch(status), {})
                    .ok());
  }
  PodFact& pod() { return world_.pods.at("pod"); }

  World world_;
  IntentWatch intents_{std::chrono::seconds(60)};
  Host host_{&world_};
};

TEST_F(CustodianTest, DecidesEachEntryByItsTable) {
  struct Row {
    const char* entry;  // "", "NoneForLong", "Intent", "Due", "Confirmed"
    const char* claim;  // "Gone", "Pending", "Same", "Different"
    const char* pod;    // "Bound", "Waiting", "Ended"
    std::vector<std::string> decided;
  };
  for (const Row& row : std::vector<Row>{
           {"Intent", "Pending", "Waiting", {}},
           {"Due",
            "Pending",
            "Waiting",
            {"FenceAndRemove p c: the claim was not written by the deadline"}},
           {"Intent", "Pending", "Ended", {"FenceAndRemove p c: its pod is gone or has ended"}},
           {"Intent", "Same", "Waiting", {}},
           {"Intent", "Same", "Bound", {"Confirm p c: claim and binding are written"}},
           {"Due", "Same", "Bound", {"Confirm p c: claim and binding are written"}},
           {"Due",
            "Same",
            "Waiting",
            {"FreeClaim  c: its pod was not bound before the deadline of the intent"}},
           {"Intent", "Same", "Ended", {"FreeClaim  c: no pod on its node uses it"}},
           {"Confirmed", "Same", "Bound", {}},
           {"Confirmed", "Same", "Ended", {"FreeClaim  c: no pod on its node uses it"}},
           {"Confirmed", "Pending", "Waiting", {"RemoveEntry p c: the claim was freed"}},
           {"Confirmed",
            "Different",
            "Bound",
            {"RestoreEntry p c: the claim has other devices of the pool"}},
           {"Intent", "Gone", "Waiting", {}},
           {"Due",
            "Gone",
            "Waiting",
            {"RemoveEntry p c: the claim is gone and no pod uses the devices"}},
           {"Confirmed", "Gone", "Bound", {}},
           {"Confirmed",
            "Gone",
            "Ended",
            {"RemoveEntry p c: the claim is gone and no pod uses the devices"}},
           {"",
            "Same",
            "Bound",
            {"RestoreEntry p c: the pool has no entry for devices of the claim"}},
           {"", "Same", "Waiting", {}},
           {"NoneForLong",
            "Same",
            "Waiting",
            {"FreeClaim  c: the pool has no entry for its devices, and its pod is not bound"}},
           {"NoneForLong",
            "Same",
            "Bound",
            {"RestoreEntry p c: the pool has no entry for devices of the claim"}},
           {"", "Same", "Ended", {"FreeClaim  c: no pod on its node uses it"}},
           {"",
            "Pending",
            "Bound",
            {"ServeBoundPod  cpod: the pod is bound without devices of claim ns/c"}},
           {"", "Pending", "Waiting", {}},
       }) {
    SCOPED_TRACE(fmt::format("{} {} {}", row.entry, row.claim, row.pod));
    world_.api.Delete(kClaimKind, "ns", "c");
    world_.AddClaim("c", 1);
    const std::string entry = row.entry;
    const std::string claim = row.claim;
    world_.now = At(0);
    SetEntries({});
    const bool is_late = entry == "Due" || entry == "NoneForLong";
    if (!entry.empty() && entry != "NoneForLong") SetEntries({Entry("a", entry == "Confirmed")});
    if (claim == "Same") SetAllocated("a");
    if (claim == "Different") SetAllocated("b");
    if (claim == "Gone") world_.api.Delete(kClaimKind, "ns", "c");
    Look();
    world_.now = At(is_late ? 60 : 0);
    pod().node = row.pod == std::string("Bound") ? "n" : "";
    pod().finished = row.pod == std::string("Ended");
    EXPECT_EQ(Decided(), row.decided);
    // What is carried out leaves nothing to do, but for what the host does.
    Settle();
    for (const Action& action : Actions()) EXPECT_EQ(action.kind, ActionKind::kServeBoundPod);
  }
}

TEST_F(CustodianTest, AnEntryEditedByHandFollowsTheClaim) {
  SetAllocated("a");
  pod().node = "n";
  SetEntries({Entry("b", true)});
  Settle();
  EXPECT_THAT(world_.Pool("p").entries.at(0).holding, ElementsAre(Allocation{"p", "a", 1, {}}));
  EXPECT_TRUE(world_.Pool("p").entries.at(0).confirmed);
}

TEST_F(CustodianTest, AnIntentWithoutWriterAndDeadlineIsDue) {
  PoolEntry entry = Entry("a");
  entry.writer.clear();
  entry.deadline.reset();
  SetEntries({entry});
  const std::string before = world_.Claim("c").version.resource_version;
  Settle();
  EXPECT_THAT(world_.Pool("p").entries, IsEmpty());
  EXPECT_NE(world_.Claim("c").version.resource_version, before);
  EXPECT_THAT(world_.Claim("c").message, HasSubstr("intent of an unknown writer for pod pod"));
}

TEST_F(CustodianTest, DevicesThatAreNotFreeAreReported) {
  SetAllocated("a");
  pod().node = "n";
  PoolEntry other = Entry("a", true);
  other.claim_name = "d";
  other.claim_uid = "gone";
  SetEntries({other});
  world_.AddPod("user", {"d"});
  world_.pods.at("user").node = "n";
  Settle();
  ASSERT_FALSE(host_.reports.empty());
  EXPECT_EQ(host_.reports.front(),
            "claim ns/c has devices that are not free: device a of pool p is in use by claim ns/d");
}

TEST_F(CustodianTest, OneDeviceInTwoEntriesIsReported) {
  PoolEntry other = Entry("a");
  other.claim_uid = "other";
  SetEntries({Entry("a"), other});
  const std::vector<std::string> decided = Decided();
  EXPECT_THAT(decided,
              ::testing::Contains("ReportConflict p : device a of pool p is in use by claim ns/c"));
}

TEST_F(CustodianTest, APodOnAnotherNodeThanItsSharedClaimIsReported) {
  SetAllocated("a");
  SetEntries({Entry("a", true)});
  pod().node = "n";
  world_.AddPod("other", {"c"});
  world_.pods.at("other").node = "m";
  EXPECT_THAT(Decided(), ElementsAre("ReportConflict  other: the pod is on node m, its claim ns/c "
                                     "is allocated on node n"));
}

TEST_F(CustodianTest, ABoundPodWhoseClaimsCannotBeReadIsReported) {
  pod().claims.clear();
  pod().claims_fault = "annotation a: no JSON";
  EXPECT_THAT(Decided(), IsEmpty()) << "it waits: the filter call says it";
  pod().node = "n";
  EXPECT_THAT(Decided(), ElementsAre("ReportConflict  pod: the pod is bound, its claims cannot be "
                                     "read: annotation a: no JSON"));
  pod().finished = true;
  EXPECT_THAT(Decided(), IsEmpty());
}

TEST_F(CustodianTest, AClaimOfAPodThatRunsElsewhereIsFreed) {
  SetAllocated("a");
  SetEntries({Entry("a", true)});
  pod().node = "m";
  Settle();
  EXPECT_FALSE(IsAllocated(world_.Claim("c")));
  EXPECT_THAT(host_.served, ::testing::Contains("pod"));
}

TEST_F(CustodianTest, PodsThatEndedLeaveASharedClaim) {
  ClaimStatus status;
  status.state = ClaimState::kAllocated;
  status.node = "n";
  status.allocations = {{"p", "a", 1, {}}};
  status.pods = {{"pod", "uid-pod"}, {"ended", "uid-ended"}};
  ASSERT_TRUE(world_.api
                  .PatchCustomStatus(kClaimKind, {.namespace_ = "ns", .name = "c"},
                                     ClaimStatusPatch(status), {})
                  .ok());
  SetEntries({Entry("a", true)});
  pod().node = "n";
  Settle();
  EXPECT_THAT(world_.Claim("c").pods, ElementsAre(PodReference{"pod", "uid-pod"}));
  EXPECT_TRUE(IsAllocated(world_.Claim("c")));
}

TEST_F(CustodianTest, AnEntryHasWhatTheClaimHoldsAndNothingOfAdminAccess) {
  SetAllocations({{"p", "a", 1, {}}, {"p", "b", 1, {}, true}});
  pod().node = "n";
  Settle();
  ASSERT_THAT(world_.Pool("p").entries, ::testing::SizeIs(1));
  EXPECT_THAT(world_.Pool("p").entries[0].holding, ElementsAre(Allocation{"p", "a", 1, {}}));
  EXPECT_THAT(Decided(), IsEmpty());
  SetAllocations({{"p", "a", 1, {}, true}, {"p", "b", 1, {}, true}});
  EXPECT_THAT(Decided(), ElementsAre("RemoveEntry p c: the claim has no devices of the pool"));
  SetEntries({});
  EXPECT_THAT(Decided(), IsEmpty());
}

TEST_F(CustodianTest, DevicesOfADeletedClaimStayWithThePodsThatNameIt) {
  SetEntries({Entry("a", true)});
  world_.api.Delete(kClaimKind, "ns", "c");
  world_.AddPod("sharer", {"c"});
  pod().finished = true;
  world_.pods.at("sharer").node = "n";
  EXPECT_THAT(Decided(), IsEmpty());
  world_.pods.at("sharer").finished = true;
  EXPECT_THAT(Decided(), ElementsAre(HasSubstr("RemoveEntry p c")));
}

TEST_F(CustodianTest, DevicesOfADeletedClaimStayWithAPodThatTheViewLacks) {
  SetEntries({Entry("a", true)});
  world_.api.Delete(kClaimKind, "ns", "c");
  pod().finished = true;
  const std::vector<Action> old = Actions();
  ASSERT_EQ(old.size(), 1U);
  EXPECT_EQ(old[0].kind, ActionKind::kRemoveEntry);
  world_.AddPod("sharer", {"c"});
  world_.pods.at("sharer").node = "n";
  Carry(old);
  EXPECT_THAT(world_.Pool("p").entries, ::testing::SizeIs(1));
}

// The writer of its last version may be binding that pod.
TEST_F(CustodianTest, DevicesOfADeletedClaimWaitForAPodThatMayBeBoundYet) {
  SetEntries({Entry("a", true)});
  world_.api.Delete(kClaimKind, "ns", "c");
  pod().finished = true;
  const std::vector<Action> old = Actions();
  world_.AddPod("sharer", {"c"});
  Carry(old);
  EXPECT_THAT(world_.Pool("p").entries, ::testing::SizeIs(1));
  EXPECT_THAT(Decided(), ElementsAre(HasSubstr("AwaitPods p c")));
  Settle();
  EXPECT_EQ(world_.Pool("p").entries.at(0).deadline, At(60));
  world_.now = At(60);
  world_.pods.at("sharer").node = "n";
  EXPECT_THAT(Decided(), IsEmpty());
  world_.pods.at("sharer").node = "";
  Settle();
  EXPECT_THAT(world_.Pool("p").entries, IsEmpty());
}

TEST_F(CustodianTest, DevicesOfADeletedClaimDoNotWaitForPodsOfAnotherClaimOfItsName) {
  PoolEntry entry = Entry("a", true);
  entry.pod_uid = "uid-ended";
  SetEntries({entry});
  world_.api.Delete(kClaimKind, "ns", "c");
  world_.AddClaim("c", 1);
  SetAllocated("b");
  pod().node = "n";
  world_.AddPod("again", {"c"});
  world_.pods.at("again").claims[0].embedded_spec = "{}";
  Settle();
  ASSERT_THAT(world_.Pool("p").entries, ::testing::SizeIs(1));
  EXPECT_EQ(world_.Pool("p").entries[0].claim_uid, world_.Claim("c").version.uid);
}

// What was decided is looked at again.
TEST_F(CustodianTest, AnOldDecisionIsNotCarriedOut) {
  SetEntries({Entry("a")});
  world_.now = At(60);
  const std::vector<Action> old = Actions();
  ASSERT_EQ(old.size(), 1U);
  SetAllocated("a");
  pod().node = "n";
  const size_t before = world_.api.Writes().size();
  Carry(old);
  EXPECT_EQ(world_.api.Writes().size(), before);
}

// The clocks of the custodian and of the writer may differ by any time.
TEST_F(CustodianTest, AnIntentIsOverOnceItWasSeenForTheIntentTimeWhateverTheClockSays) {
  for (const int64_t ahead : {-70, -30, 0, 61, 1'000'000}) {
    SCOPED_TRACE(ahead);
    IntentWatch intents(std::chrono::seconds(60));
    SetEntries({Entry("a")});  // until second 60 of its writer
    const PoolObject pool = world_.Pool("p");
    // A clock that is late adds what it is late.
    const int64_t end = 60 + std::max<int64_t>(-ahead, 0);
    for (const int64_t second : {0L, 30L, end - 1, end}) {
      intents.Look({&pool, 1}, {}, At(second + ahead), testing::Steady(At(second)));
      EXPECT_EQ(intents.IsOver(pool, pool.entries[0]), second == end) << second;
    }
  }
}

TEST_F(CustodianTest, AClockThatIsFarLateKeepsAnIntentForTheLongestIntentTime) {
  SetEntries({Entry("a")});
  const PoolObject pool = world_.Pool("p");
  IntentWatch intents(std::chrono::seconds(60));
  for (const int64_t second : {0, 3'599, 3'600}) {
    intents.Look({&pool, 1}, {}, At(second - 1'000'000), testing::Steady(At(second)));
    EXPECT_EQ(intents.IsOver(pool, pool.entries[0]), second == 3'600) << second;
  }
  PoolObject odd = pool;
  for (const WallTime deadline : {WallTime::min(), WallTime::max()}) {
    odd.entries[0].deadline = deadline;
    intents.Look({&odd, 1}, {}, At(0), testing::Steady(At(0)));
    EXPECT_FALSE(intents.IsOver(odd, odd.entries[0]));
    EXPECT_LE(*intents.Next(), testing::Steady(At(3'600)));
  }
}

TEST_F(CustodianTest, AnotherIntentIsSeenFromItsBeginning) {
  const std::vector<std::function<void(PoolEntry*)>> changes = {
      [](PoolEntry* entry) { entry->deadline = At(61); },
      [](PoolEntry* entry) { entry->writer = "other"; },
      [](PoolEntry* entry) { entry->pod_uid = "other"; },
      [](PoolEntry* entry) { entry->claim_uid = "other"; }};
  SetEntries({Entry("a")});
  PoolObject pool = world_.Pool("p");
  for (const auto& change : changes) {
    IntentWatch intents(std::chrono::seconds(60));
    intents.Look({&pool, 1}, {}, At(0), testing::Steady(At(0)));
    PoolObject changed = pool;
    change(&changed.entries[0]);
    intents.Look({&changed, 1}, {}, At(90), testing::Steady(At(90)));
    EXPECT_FALSE(intents.IsOver(changed, changed.entries[0]));
    EXPECT_FALSE(intents.IsOver(pool, pool.entries[0])) << "it is forgotten";
  }
  IntentWatch intents(std::chrono::seconds(60));
  intents.Look({&pool, 1}, {}, At(0), testing::Steady(At(0)));
  pool.version.uid = "made again";
  intents.Look({&pool, 1}, {}, At(90), testing::Steady(At(90)));
  EXPECT_FALSE(intents.IsOver(pool, pool.entries[0]));
}

TEST_F(CustodianTest, TheNextIntentIsTheFirstThatWillBeOver) {
  PoolEntry late = Entry("b");
  late.claim_uid = "other";
  late.deadline = At(90);
  SetEntries({Entry("a"), late});
  EXPECT_EQ(intents_.Next(), testing::Steady(At(60)));
  world_.now = At(60);
  Look();
  EXPECT_EQ(intents_.Next(), testing::Steady(At(90)));
  world_.now = At(90);
  Look();
  EXPECT_EQ(intents_.Next(), std::nullopt);
}

}  // namespace
}  // namespace outrigger::devices
