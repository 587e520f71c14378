// Which devices of a node are chosen where several serve: groups stay whole.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "fmt/format.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

Pool Counted(std::string name, int64_t count) {
  Pool pool;
  pool.name = std::move(name);
  pool.node = kNode;
  pool.driver = "d";
  pool.count = count;
  return pool;
}

/// Groups of so many devices, which are equal in `numa`; no two devices are.
Pool Listed(std::string name, const std::vector<int>& groups) {
  Pool pool = Counted(std::move(name), 0);
  pool.count.reset();
  int64_t device = 0;
  for (size_t group = 0; group < groups.size(); ++group) {
    for (int i = 0; i < groups[group]; ++i, ++device) {
      pool.devices.push_back(
          {.name = fmt::format("x{}", device),
           .attributes = {{"numa", static_cast<int64_t>(group)}, {"serial", device}},
           .requests = {},
           .resources = {}});
    }
  }
  return pool;
}

Claim ClaimOf(std::string name, const std::vector<int>& counts) {
  Claim claim;
  claim.namespace_ = "default";
  claim.name = std::move(name);
  for (const int count : counts) {
    Detail detail;
    detail.device_class = "any";
    detail.min_count = count;
    claim.requests.push_back({{detail}});
  }
  return claim;
}

std::string TextOf(const std::vector<Allocation>& allocations) {
  std::string text;
  for (const Allocation& one : allocations) {
    text += fmt::format("{}{}{} ", one.pool, one.device, one.count == 1 ? "" : "*");
  }
  return text;
}

class FitOrderTest : public ::testing::Test {
 protected:
  Answer Ask(const Inventory& inventory, const Claim& claim) const {
    const Claim* claims[] = {&claim};
    const Demand demand = allocator_.Resolve(inventory, claims);
    EXPECT_TRUE(demand.invalid().empty());
    return allocator_.Allocate(inventory, demand, kNode);
  }
  std::string Chosen(const std::vector<Pool>& pools, const Claim& claim,
                     const std::vector<Allocation>& held = {}) const {
    Inventory inventory;
    for (const Pool& pool : pools) inventory.SetPool(pool);
    inventory.SetHolding("default/other", held);
    const Answer answer = Ask(inventory, claim);
    return answer.verdict.fits() ? TextOf(answer.claims[0].allocations) : answer.verdict.reason();
  }

  const std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  const Allocator allocator_{*selectors_, {.topology_attributes = {"numa"}}};
};

TEST_F(FitOrderTest, ThePoolThatIsLeftWithTheFewestIsTaken) {
  struct Row {
    std::vector<int> free;
    int wanted;
    std::string chosen;
  };
  for (const Row& row :
       {Row{{2, 1}, 1, "p1 "}, Row{{4, 3, 2}, 2, "p2* "}, Row{{4, 3, 2}, 3, "p1* "},
        Row{{2, 4, 2}, 1, "p0 "}, Row{{1, 2, 4}, 6, "p1* p2* "}, Row{{3, 1, 2}, 4, "p0* p1 "},
        Row{{2, 2, 2}, 6, "p0* p1* p2* "}}) {
    for (const bool counts : {false, true}) {
      std::vector<Pool> pools;
      for (size_t i = 0; i < row.free.size(); ++i) {
        pools.push_back(Counted(fmt::format("p{}", i), row.free[i]));
      }
      Claim claim = ClaimOf("c", {row.wanted});
      claim.counts = counts;
      EXPECT_EQ(Chosen(pools, claim), row.chosen) << row.wanted << " of " << row.free.size();
    }
  }
}

TEST_F(FitOrderTest, OfEqualPoolsABrokenOneIsTaken) {
  const std::vector<Pool> pools = {Counted("p0", 2), Counted("p1", 3)};
  EXPECT_EQ(Chosen(pools, ClaimOf("c", {1}), {{"p1", "", 1, {}}}), "p1 ");
}

TEST_F(FitOrderTest, GroupsInsideAPoolCountAlone) {
  const std::vector<Pool> pools = {Listed("p", {4, 2, 1, 3})};
  EXPECT_EQ(Chosen(pools, ClaimOf("c", {1})), "px6 ");
  EXPECT_EQ(Chosen(pools, ClaimOf("c", {2})), "px4 px5 ");
  EXPECT_EQ(Chosen(pools, ClaimOf("c", {5})), "px0 px1 px2 px3 px6 ");
  Claim on_one = ClaimOf("c", {3});
  on_one.match_attributes = {"numa"};
  EXPECT_EQ(Chosen(pools, on_one), "px7 px8 px9 ");
}

// The first request alone would take the single device, and the second would have to come back.
TEST_F(FitOrderTest, RequestsThatMustBeEqualLookForOneGroup) {
  Claim claim = ClaimOf("c", {1, 1, 1});
  claim.match_attributes = {"numa"};
  const std::vector<Pool> pools = {Listed("p", {4, 2, 1, 3})};
  EXPECT_EQ(Chosen(pools, claim), "px7 px8 px9 ");
}

TEST_F(FitOrderTest, FewestPoolsComeFirst) {
  const std::vector<Pool> pools = {Listed("p0", {2, 2}), Listed("p1", {3})};
  Claim claim = ClaimOf("c", {4});
  claim.counts = true;
  EXPECT_EQ(Chosen(pools, claim), "p0x0 p0x1 p0x2 p0x3 ");
}

TEST_F(FitOrderTest, AnswersAreByPoolAndDevice) {
  EXPECT_EQ(Chosen({Counted("p0", 1), Listed("p1", {1, 3})}, ClaimOf("c", {5})),
            "p0 p1x0 p1x1 p1x2 p1x3 ");
  EXPECT_EQ(Chosen({Counted("p0", 2), Listed("p1", {2, 3})}, ClaimOf("c", {4})),
            "p1x0 p1x2 p1x3 p1x4 ");
}

TEST_F(FitOrderTest, AmountsAndAllAndAdminAccessGoByTheList) {
  std::vector<Pool> pools = {Listed("p", {2, 1})};
  Claim claim = ClaimOf("c", {1});
  claim.requests[0].details[0].admin_access = true;
  EXPECT_EQ(Chosen(pools, claim), "px0 ");
  for (Device& device : pools[0].devices) {
    device.resources = {{"memory", Quantity::FromInt(4), Quantity::FromInt(1)}};
  }
  claim.requests[0].details[0].admin_access = false;
  claim.requests[0].details[0].amounts["memory"] = Quantity::FromInt(2);
  EXPECT_EQ(Chosen(pools, claim), "px0 ");
}

/// The pools of a node, of which each is a group, and who has what of them.
struct Cluster {
  std::vector<int> sizes;
  std::vector<int> free;
  std::map<int, std::map<size_t, int>> held;  // by claim, then pool

  void Give(int claim, size_t pool, int count) {
    free[pool] -= count;
    held[claim][pool] += count;
    ASSERT_GE(free[pool], 0);
  }
  void TakeBack(int claim) {
    for (const auto& [pool, count] : held[claim]) free[pool] += count;
    held.erase(claim);
  }
  int Intact() const {
    int intact = 0;
    for (size_t i = 0; i < sizes.size(); ++i) intact += free[i] == sizes[i] ? 1 : 0;
    return intact;
  }
};

bool GiveFirstFit(int claim, int wanted, Cluster* cluster) {
  int free = 0;
  for (const int of : cluster->free) free += of;
  if (free < wanted) return false;
  for (size_t i = 0; wanted > 0; ++i) {
    const int count = std::min(wanted, cluster->free[i]);
    if (count > 0) cluster->Give(claim, i, count);
    wanted -= count;
  }
  return true;
}

// Claims come and go. The same fit by either order, as only the sum of free devices counts here.
TEST_F(FitOrderTest, MoreGroupsStayIntactThanByFirstFit) {
  int64_t intact = 0;
  int64_t by_first_fit = 0;
  for (uint64_t seed = 1; seed <= DEVICES_CASES / 100; ++seed) {
    std::mt19937_64 random(seed);
    Cluster ours;
    Inventory inventory;
    for (size_t i = 0; i < 6; ++i) {
      ours.sizes.push_back(1 + static_cast<int>(random() % 4));
      inventory.SetPool(Counted(fmt::format("p{}", i), ours.sizes.back()));
    }
    ours.free = ours.sizes;
    Cluster first_fit = ours;
    for (int step = 0; step < 40; ++step) {
      if (!ours.held.empty() && random() % 2 == 0) {
        const auto leaves =
            std::next(ours.held.begin(), static_cast<int64_t>(random() % ours.held.size()));
        const int claim = leaves->first;
        ours.TakeBack(claim);
        first_fit.TakeBack(claim);
        inventory.SetHolding(fmt::format("default/c{}", claim), {});
      } else {
        const int wanted = 1 + static_cast<int>(random() % 3);
        const Answer answer = Ask(inventory, ClaimOf(fmt::format("c{}", step), {wanted}));
        ASSERT_EQ(answer.verdict.fits(), GiveFirstFit(step, wanted, &first_fit)) << seed;
        if (!answer.verdict.fits()) continue;
        for (const Allocation& one : answer.claims[0].allocations) {
          ours.Give(step, static_cast<size_t>(one.pool[1] - '0'), static_cast<int>(one.count));
        }
        inventory.SetHolding(fmt::format("default/c{}", step), answer.claims[0].holding);
      }
      intact += ours.Intact();
      by_first_fit += first_fit.Intact();
    }
  }
  RecordProperty("intact", fmt::format("{} of {} by first fit", intact, by_first_fit));
  EXPECT_GT(intact, by_first_fit);
}

}  // namespace
}  // namespace outrigger::devices
