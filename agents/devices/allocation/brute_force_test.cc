// The allocator against every choice, on generated clusters of one node.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "devices/allocation/reference_testing.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

Answer Ask(const Allocator& allocator, const Inventory& inventory,
           const std::vector<Claim>& claims) {
  const Demand demand = allocator.Resolve(inventory, PointersTo(claims));
  EXPECT_TRUE(demand.invalid().empty());
  return allocator.Allocate(inventory, demand, kNode);
}

int PairsOf(const Case& of, const Answer& answer) {
  std::set<std::pair<size_t, std::string>> pairs;
  for (size_t i = 0; i < of.claims.size(); ++i) {
    if (!of.claims[i].counts) continue;
    for (const Allocation& one : answer.claims[i].allocations) pairs.insert({i, one.pool});
  }
  return static_cast<int>(pairs.size());
}

TEST(BruteForce, AgreesOnGeneratedCases) {
  const auto selectors = MakeCelSelectors();
  int fits = 0;
  for (uint64_t seed = 1; seed <= DEVICES_CASES; ++seed) {
    const Case of = MakeCase(seed);
    const Allocator allocator(*selectors);
    const Answer answer = Ask(allocator, InventoryOf(of), of.claims);
    const std::optional<int> fewest = TryEveryChoice(of);
    ASSERT_EQ(answer.verdict.fits(), fewest.has_value())
        << "seed " << seed << ": " << answer.verdict.reason() << "\n"
        << Describe(of);
    if (!fewest.has_value()) continue;
    ++fits;
    ASSERT_EQ(FindFault(of, answer), "") << "seed " << seed << "\n" << Describe(of);
    ASSERT_EQ(PairsOf(of, answer), *fewest) << "seed " << seed << "\n" << Describe(of);
  }
  // Cases that all fit, or never, would prove little.
  EXPECT_GT(fits, DEVICES_CASES / 5);
  EXPECT_LT(fits, DEVICES_CASES * 4 / 5);
}

// Of nine requests the last two are past those whose counts prune: that the first must leave one
// device of each pool, neither most nor fewest of the first pool, is found by trying.
TEST(Search, TakesNeitherMostNorFewest) {
  Case of;
  for (const auto& [driver, count] : {std::pair("x", 3), std::pair("y", 2), std::pair("z", 6)}) {
    of.pools.push_back({driver, kNode, driver, {}, count, {}, {}});
  }
  Claim claim;
  claim.namespace_ = "default";
  claim.name = "c";
  const auto add = [&claim](const std::string& driver, const std::string& constraints, int count) {
    Detail detail;
    detail.device_class = "any";
    detail.driver = driver;
    detail.constraints = constraints;
    detail.min_count = count;
    claim.requests.push_back({{detail}});
  };
  of.pools[2].attributes = {{"is", std::string("z")}};
  add("", "!has(device.is)", 3);
  for (int i = 0; i < 6; ++i) add("z", "", 1);
  add("x", "", 1);
  add("y", "", 1);
  of.claims.push_back(claim);
  const auto selectors = MakeCelSelectors();
  const Answer answer = Ask(Allocator(*selectors), InventoryOf(of), of.claims);
  ASSERT_TRUE(answer.verdict.fits()) << answer.verdict.reason();
  EXPECT_EQ(FindFault(of, answer), "");
  EXPECT_EQ(answer.claims[0].allocations[0], (Allocation{"x", "", 2, {}}));
}

TEST(BruteForce, OrderOfInputChangesNothing) {
  const auto selectors = MakeCelSelectors();
  for (uint64_t seed = 1; seed <= DEVICES_CASES / 10; ++seed) {
    const Case of = MakeCase(seed);
    const Allocator allocator(*selectors);
    const Answer answer = Ask(allocator, InventoryOf(of), of.claims);
    Inventory other;
    std::vector<Pool> pools = of.pools;
    std::shuffle(pools.begin(), pools.end(), std::mt19937_64(seed));
    for (auto at = of.holdings.rbegin(); at != of.holdings.rend(); ++at) {
      other.SetHolding(at->first, at->second);
    }
    other.SetPool({.name = "gone",
                   .node = kNode,
                   .driver = "d0",
                   .attributes = {},
                   .count = 9,
                   .resources = {},
                   .devices = {}});
    for (const Pool& pool : pools) other.SetPool(pool);
    other.RemovePool("gone");
    const Answer again = Ask(allocator, other, of.claims);
    ASSERT_EQ(answer.verdict.reason(), again.verdict.reason()) << Describe(of);
    ASSERT_EQ(answer.claims.size(), again.claims.size());
    for (size_t i = 0; i < answer.claims.size(); ++i) {
      ASSERT_EQ(answer.claims[i].allocations, again.claims[i].allocations) << Describe(of);
    }
    ASSERT_EQ(answer.scores.total, again.scores.total);
  }
}

}  // namespace
}  // namespace outrigger::devices
