// Amounts of shared devices: all ways to divide them are found, however small blocks are.
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/reference_testing.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/search.h"
#include "fmt/format.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

constexpr int64_t kGi = 1 << 30;

Device DeviceOf(size_t index, int64_t memory, int64_t block) {
  return {.name = fmt::format("g{}", index),
          .attributes = {{"is", fmt::format("g{}", index)}},
          .requests = {},
          .resources = {{"memory", Quantity::FromInt(memory), Quantity::FromInt(block)}}};
}

Detail DetailOf(int64_t least, int64_t most, int64_t memory, const std::string& constraints) {
  Detail detail;
  detail.device_class = "any";
  detail.constraints = constraints;
  detail.min_count = least;
  detail.max_count = most;
  detail.amounts["memory"] = Quantity::FromInt(memory);
  return detail;
}

/// Devices of so much memory in units, and requests for it.
struct Division {
  std::vector<int64_t> memory;
  std::vector<Detail> details;

  Case With(int64_t unit, int64_t block) const {
    Case of;
    Pool& pool = of.pools.emplace_back();
    pool.name = "p";
    pool.node = kNode;
    pool.driver = "d0";
    for (size_t i = 0; i < memory.size(); ++i) {
      pool.devices.push_back(DeviceOf(i, memory[i] * unit, block));
    }
    Claim& claim = of.claims.emplace_back();
    claim.namespace_ = "default";
    claim.name = "c";
    for (const Detail& detail : details) {
      Detail scaled = detail;
      scaled.amounts["memory"] = Quantity::FromInt(detail.amounts.at("memory").Value() * unit);
      claim.requests.push_back({{std::move(scaled)}});
    }
    return of;
  }
};

Division MakeDivision(uint64_t seed, int most_memory, bool is_one_enough) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Division of;
  const int devices = pick(2, 3);
  for (int i = 0; i < devices; ++i) of.memory.push_back(pick(1, most_memory));
  const int requests = pick(2, 3);
  for (int i = 0; i < requests; ++i) {
    const int least = is_one_enough ? 1 : pick(1, 2);
    const std::string which = pick(1, 2) == 1 ? "" : fmt::format("device.is != 'g{}'", pick(0, 2));
    of.details.push_back(
        DetailOf(least, pick(least, devices), pick(1, most_memory * 3 / 2), which));
  }
  return of;
}

class AmountsTest : public ::testing::Test {
 protected:
  Answer Ask(const Case& of) const {
    const Inventory inventory = InventoryOf(of);
    const Demand demand = allocator_.Resolve(inventory, PointersTo(of.claims));
    EXPECT_TRUE(demand.invalid().empty());
    return allocator_.Allocate(inventory, demand, kNode);
  }

  struct Found {
    Outcome outcome = Outcome::kFits;
    int64_t steps = 0;
  };
  // Without the search for a reason.
  Found Find(const Case& of) const {
    const Inventory inventory = InventoryOf(of);
    const Demand demand = allocator_.Resolve(inventory, PointersTo(of.claims));
    const Ground ground(inventory.state().StocksOf(kNode), {}, Contents::kFree);
    Search search(demand.data(), ground);
    const Outcome outcome = search.Find(allocator_.options().budget);
    return {outcome, search.steps()};
  }

  const std::unique_ptr<const Selectors> selectors_ = MakeCelSelectors();
  const Allocator allocator_{*selectors_};
};

TEST_F(AmountsTest, ALaterRequestForOneDeviceIsServed) {
  const Division of = {{10, 10}, {DetailOf(2, 2, 12, ""), DetailOf(1, 1, 6, "device.is == 'g0'")}};
  for (const int64_t block : {int64_t{1}, int64_t{1} << 20, kGi}) {
    const Answer answer = Ask(of.With(kGi, block));
    ASSERT_TRUE(answer.verdict.fits()) << answer.verdict.reason();
    EXPECT_EQ(FindFault(of.With(kGi, block), answer), "");
    EXPECT_LT(answer.steps, 40) << block;
  }
}

// Each of two requests must have both devices, so that the first may not give all of one of them.
TEST_F(AmountsTest, OneBlockIsLeftForARequestThatMustHaveBothDevices) {
  const Division of = {{10, 10}, {DetailOf(2, 2, 10, ""), DetailOf(2, 2, 10, "")}};
  for (const int64_t block : {int64_t{1}, kGi}) {
    const Answer answer = Ask(of.With(kGi, block));
    ASSERT_TRUE(answer.verdict.fits()) << answer.verdict.reason();
    EXPECT_EQ(answer.claims[0].allocations[0].amounts.at("memory"),
              Quantity::FromInt(10 * kGi - block));
  }
}

TEST_F(AmountsTest, AgreeWithEveryChoice) {
  int fits = 0;
  for (uint64_t seed = 1; seed <= DEVICES_CASES / 20; ++seed) {
    const Case of = MakeDivision(seed, 6, false).With(1, 1 + static_cast<int64_t>(seed % 2));
    const Answer answer = Ask(of);
    ASSERT_EQ(answer.verdict.fits(), TryEveryChoice(of).has_value())
        << "seed " << seed << ": " << answer.verdict.reason() << "\n"
        << Describe(of);
    if (!answer.verdict.fits()) continue;
    ++fits;
    ASSERT_EQ(FindFault(of, answer), "") << "seed " << seed << "\n" << Describe(of);
  }
  EXPECT_GT(fits, DEVICES_CASES / 200);
  EXPECT_LT(fits, DEVICES_CASES * 4 / 100);
}

// A device gives a block at least: where a request must have several devices, smaller blocks serve
// where larger ones do not. Else they make no difference.
TEST_F(AmountsTest, SmallBlocksChangeNeitherAnswersNorSteps) {
  int64_t steps_of_bytes = 0;
  int64_t steps = 0;
  for (uint64_t seed = 1; seed <= DEVICES_CASES / 20; ++seed) {
    const bool is_one_enough = seed % 2 == 0;
    const Division of = MakeDivision(seed, 10, is_one_enough);
    const Found bytes = Find(of.With(kGi, 1));
    const Found whole = Find(of.With(kGi, kGi));
    ASSERT_NE(bytes.outcome, Outcome::kBudgetSpent) << Describe(of.With(kGi, 1));
    if (is_one_enough || whole.outcome == Outcome::kFits) {
      ASSERT_EQ(bytes.outcome, whole.outcome) << "seed " << seed << "\n"
                                              << Describe(of.With(kGi, 1));
    }
    if (bytes.outcome != whole.outcome) continue;
    ASSERT_LE(bytes.steps, 10 * whole.steps) << "seed " << seed << "\n"
                                             << Describe(of.With(kGi, 1));
    steps_of_bytes += bytes.steps;
    steps += whole.steps;
  }
  RecordProperty("steps", fmt::format("{} with bytes, {} with Gi", steps_of_bytes, steps));
  EXPECT_LE(steps_of_bytes, 3 * steps);
}

}  // namespace
}  // namespace outrigger::devices
