#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "fmt/format.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

/// Pools of four devices, two on each numa; devices "a" to "d".
class ScoresTest : public ::testing::Test {
 protected:
  void AddPool(const std::string& name) {
    Pool pool;
    pool.name = name;
    pool.node = kNode;
    pool.driver = "foo";
    for (const char* device : {"a", "b", "c", "d"}) {
      pool.devices.push_back({device, {{"numa", std::string(*device < 'c' ? "0" : "1")}}, {}, {}});
    }
    inventory_.SetPool(std::move(pool));
  }

  Answer Ask(std::vector<Detail> details) {
    Claim claim;
    claim.name = "c";
    claim.requests.push_back({std::move(details)});
    const Claim* claims[] = {&claim};
    const Allocator allocator(*selectors_, options_);
    return allocator.Allocate(inventory_, allocator.Resolve(inventory_, claims), kNode);
  }

  static Detail DetailOf(int64_t count, bool on_one_numa) {
    Detail detail;
    detail.device_class = "any";
    detail.min_count = count;
    if (on_one_numa) detail.match_attributes = {"numa"};
    return detail;
  }

  const std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  AllocatorOptions options_;
  Inventory inventory_;
};

TEST_F(ScoresTest, PackingCountsWhatIsUsedAfterwards) {
  AddPool("p");
  inventory_.SetHolding("default/job", {{"p", "d", 1, {}}});
  const Scores scores = Ask({DetailOf(2, false)}).scores;
  EXPECT_DOUBLE_EQ(scores.packing, 0.75);
  EXPECT_DOUBLE_EQ(scores.intact, 1);
  EXPECT_DOUBLE_EQ(scores.choice, 1);
  EXPECT_DOUBLE_EQ(scores.total, 0.5 * 0.75 + 0.3 + 0.2);
}

TEST_F(ScoresTest, PackingIsTheMeanOverTouchedPools) {
  AddPool("p");
  AddPool("q");
  EXPECT_DOUBLE_EQ(Ask({DetailOf(6, false)}).scores.packing, (1 + 0.5) / 2);
}

TEST_F(ScoresTest, AGroupIsBrokenOnce) {
  AddPool("p");
  EXPECT_DOUBLE_EQ(Ask({DetailOf(1, true)}).scores.intact, 0);
  EXPECT_DOUBLE_EQ(Ask({DetailOf(2, true)}).scores.intact, 1);  // it is taken whole
  inventory_.SetHolding("default/job", {{"p", "a", 1, {}}});
  EXPECT_DOUBLE_EQ(Ask({DetailOf(1, true)}).scores.intact, 1);  // it was broken before
  inventory_.SetHolding("default/job", {});
  options_.topology_attributes = {"numa"};
  EXPECT_DOUBLE_EQ(Ask({DetailOf(3, false)}).scores.intact, 0.5);  // one whole, one of the other
}

TEST_F(ScoresTest, ChoiceFallsByRank) {
  AddPool("p");
  Detail other = DetailOf(1, false);
  other.driver = "bar";
  const Answer answer = Ask({other, other, DetailOf(1, false)});
  EXPECT_EQ(answer.claims.at(0).alternatives, std::vector<int>{2});
  EXPECT_DOUBLE_EQ(answer.scores.choice, 0.75);
}

TEST_F(ScoresTest, PartsAreFilledInAsAsked) {
  AddPool("p");
  Claim claim;
  claim.requests.push_back({{DetailOf(1, false)}});
  const Claim* claims[] = {&claim};
  const Allocator allocator(*selectors_);
  const Demand demand = allocator.Resolve(inventory_, claims);
  EXPECT_EQ(allocator.Allocate(inventory_, demand, kNode, Parts::kVerdict).scores.total, 0);
  const Answer scored = allocator.Allocate(inventory_, demand, kNode, Parts::kScores);
  EXPECT_GT(scored.scores.total, 0);
  EXPECT_TRUE(scored.claims.empty());
}

TEST_F(ScoresTest, NetworkPoolsServeByAnOptionOnly) {
  AddPool("p");
  Pool net = *inventory_.FindPool("p");
  inventory_.RemovePool("p");
  net.node.clear();
  inventory_.SetPool(net);
  EXPECT_FALSE(Ask({DetailOf(1, false)}).verdict.fits());
  options_.network_pools = true;
  EXPECT_TRUE(Ask({DetailOf(1, false)}).verdict.fits());
}

}  // namespace
}  // namespace outrigger::devices
