// Faults of custodians of one pool with 4096 claims. What many claims have in common with few is
// looked at by FaultRounds.
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device_world_testing.h"
#include "fault_process_testing.h"
#include "fmt/format.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using testing::Faults;
using testing::LateWrites;
using testing::OneIn;
using testing::Process;
using testing::Random;
using testing::World;

constexpr int kMany = DEVICE_ROUNDS < 10 ? 512 : 4096;  // few with sanitizers

/// One pool, whose claims all have a device. Some are gone then, and pods of some have ended.
class ManyRound {
 public:
  explicit ManyRound(uint64_t seed) : random_(seed) {
    faults_.conflict = 100;
    faults_.lost = 100;
    faults_.late = 200;
    faults_.kill_after = 300;
    faults_.interleave = 400;
    world_.AddCountPool("p", "n", kMany);
    for (int i = 0; i < kMany; ++i) Add(fmt::format("c{}", i));
    Write(kPoolKind, "", "p", PoolStatusPatch(world_.Pool("p"), entries_));
    for (int i = 0; i < kMany; ++i) Disturb(fmt::format("c{}", i));
  }

  void Run() {
    std::unique_ptr<Process> custodians[2];
    for (int turn = 0; turn < 3; ++turn) {
      auto& custodian = custodians[turn % 2];
      if (custodian == nullptr || custodian->is_dead()) custodian = Start();
      custodian->Refresh();
      custodian->Keep();
      ExpectEntries();
    }
    for (auto& write : late_) write();
    faults_ = Faults();
    for (int i = 0; i < 5; ++i) {
      world_.now += std::chrono::seconds(61);
      const auto last = Start();
      if (!last->Keep()) break;
    }
  }
  /// Of claims that are there and that a bound pod uses the devices stay; all others are free.
  void ExpectRest() {
    ExpectEntries();
    std::set<std::string> held;
    for (const PoolEntry& entry : world_.Pool("p").entries) {
      EXPECT_TRUE(held.insert(entry.claim_name).second);
      EXPECT_TRUE(entry.confirmed);
    }
    EXPECT_EQ(held, used_);
  }

 private:
  void Write(const CustomKind& kind, const std::string& namespace_, const std::string& name,
             const std::string& patch) {
    const CustomObjectName object{.namespace_ = namespace_, .name = name};
    ASSERT_TRUE(world_.api.PatchCustomStatus(kind, object, patch, {}).ok());
  }

  void Add(const std::string& name) {
    world_.AddClaim(name, 1);
    world_.AddPod("of-" + name, {name});
    world_.pods.at("of-" + name).node = "n";
    PoolEntry entry;
    entry.claim_namespace = "ns";
    entry.claim_name = name;
    entry.claim_uid = world_.Claim(name).version.uid;
    entry.pod_name = "of-" + name;
    entry.pod_uid = "uid-of-" + name;
    entry.confirmed = !OneIn(random_, 8);
    if (!entry.confirmed) entry.deadline = testing::At(60);
    if (!entry.confirmed) entry.writer = "dead";
    entry.holding = {{"p", "", 1, {}}};
    ClaimStatus status;
    status.state = ClaimState::kAllocated;
    status.node = "n";
    status.allocations = entry.holding;
    status.pods = {{entry.pod_name, entry.pod_uid}};
    Write(kClaimKind, "ns", name, ClaimStatusPatch(status));
    entries_.push_back(std::move(entry));
  }

  void Disturb(const std::string& name) {
    const bool ends = OneIn(random_, 3);
    if (ends && OneIn(random_, 2)) world_.api.Delete(kClaimKind, "ns", name);
    if (!ends) {
      used_.insert(name);
    } else if (OneIn(random_, 2)) {
      world_.pods.erase("of-" + name);
    } else {
      world_.pods.at("of-" + name).finished = true;
    }
  }

  std::unique_ptr<Process> Start() {
    return std::make_unique<Process>(
        fmt::format("process-{}", started_++), &world_, &random_, &faults_, &late_,
        [this] { Touch(); }, std::chrono::seconds(0));
  }
  // Another one writes the pool.
  void Touch() {
    auto pool = world_.api.Get(kPoolKind, "", "p");
    (*pool)["metadata"]["annotations"]["touched"] = std::to_string(random_());
    world_.api.Put(kPoolKind, *pool);
  }
  // No device of an allocated claim may look free.
  void ExpectEntries() {
    std::set<std::string> held;
    for (const PoolEntry& entry : world_.Pool("p").entries) held.insert(entry.claim_uid);
    for (const ClaimObject& claim : world_.Claims()) {
      if (!IsAllocated(claim)) continue;
      ASSERT_TRUE(held.contains(claim.version.uid)) << claim.claim.name;
    }
    for (const std::string& name : used_) ASSERT_TRUE(IsAllocated(world_.Claim(name))) << name;
  }

  World world_;
  Random random_;
  Faults faults_;
  LateWrites late_;
  std::vector<PoolEntry> entries_;
  std::set<std::string> used_;  // claims
  int started_ = 0;
};

// A seed takes seconds: fewer than of FaultRounds.
TEST(ManyFaults, EndInOrder) {
  for (int seed = 0; seed < std::max(1, DEVICE_ROUNDS / 100); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ManyRound round(static_cast<uint64_t>(seed));
    round.Run();
    round.ExpectRest();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

}  // namespace
}  // namespace outrigger::devices
