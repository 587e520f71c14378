// Bad and large input has a defined answer, in time.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "devices/allocation/model/amount.h"
#include "devices/allocation/pools/inventory_state.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using ::testing::HasSubstr;

Claim ClaimOf(int64_t count) {
  Claim claim;
  claim.namespace_ = "default";
  claim.name = fmt::format("c{}", count);
  claim.counts = true;
  Detail detail;
  detail.device_class = "any";
  detail.min_count = count;
  claim.requests.push_back({{detail}});
  return claim;
}

Pool PoolOf(std::string name, int64_t count) {
  Pool pool;
  pool.name = std::move(name);
  pool.node = kNode;
  pool.driver = "d";
  pool.count = count;
  return pool;
}

Pool DevicesOf(std::string name, size_t count) {
  Pool pool = PoolOf(std::move(name), 0);
  pool.count.reset();
  for (size_t i = 0; i < count; ++i) {
    Device device;
    device.name = fmt::format("x{}", i);
    device.attributes = {{"serial", static_cast<int64_t>(i)},
                         {"numa", static_cast<int64_t>(i / 5)}};
    pool.devices.push_back(std::move(device));
  }
  return pool;
}

Answer Ask(const Inventory& inventory, const std::vector<Claim>& claims) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  return allocator.Allocate(inventory, allocator.Resolve(inventory, PointersTo(claims)), kNode);
}

TEST(Bounds, ABillionDevicesAreNotExpanded) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", kMostCounted));
  const Answer some = Ask(inventory, {ClaimOf(kMostCounted - 7), ClaimOf(7)});
  ASSERT_TRUE(some.verdict.fits()) << some.verdict.reason();
  EXPECT_EQ(some.claims[0].allocations[0].count, kMostCounted - 7);
  EXPECT_LT(some.steps, 100);
  const Answer more = Ask(inventory, {ClaimOf(kMostCounted), ClaimOf(7)});
  EXPECT_EQ(
      more.verdict.reason(),
      "claim default/c1000000000: 1000000000 any wanted, 999999993 left by the other requests "
      "of the pod");
}

TEST(Bounds, MoreThanABillionAreRefused) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", kMostCounted + 1));
  EXPECT_THAT(Ask(inventory, {ClaimOf(1)}).verdict.reason(), HasSubstr("spec.count is 1000000001"));
  EXPECT_THAT(Ask(inventory, {ClaimOf(kMostWanted + 1)}).verdict.reason(),
              HasSubstr("must be from 1"));
}

TEST(Bounds, CountsBelowOneAreInvalid) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", 4));
  for (const int64_t count : {int64_t{0}, int64_t{-2}, INT64_MIN}) {
    EXPECT_EQ(Ask(inventory, {ClaimOf(count)}).verdict.reason(),
              fmt::format("claim default/c{}: minDeviceCount below that of the class, or below 1",
                          count));
  }
}

TEST(Bounds, TenThousandDifferentDevices) {
  Inventory inventory;
  inventory.SetPool(DevicesOf("p", kMostDevices));
  Claim claim = ClaimOf(5);
  claim.requests[0].details[0].match_attributes = {"numa"};
  EXPECT_TRUE(Ask(inventory, {claim}).verdict.fits());
  claim.requests[0].details[0].min_count = 6;
  // Two thousand groups of five: each is tried, and a search that does not end is cut off.
  const Answer answer = Ask(inventory, {claim});
  EXPECT_EQ(answer.verdict.reason(), "claim default/c5: 6 any on one numa wanted, best has 5 free");
  inventory.SetPool(DevicesOf("p", kMostDevices + 1));
  EXPECT_THAT(Ask(inventory, {claim}).verdict.reason(), HasSubstr("at most 10000 are allowed"));
}

/// Forty devices that share a counter, each with another part of it: many ways to take fourteen,
/// and none that does.
Inventory ManyWays() {
  Inventory inventory;
  Pool pool = DevicesOf("p", 40);
  for (size_t i = 0; i < pool.devices.size(); ++i) {
    pool.devices[i].requests["slots"] = Quantity::FromInt(static_cast<int64_t>(i % 7 + 3));
  }
  pool.resources = {{"slots", Quantity::FromInt(40), {}}};
  inventory.SetPool(pool);
  return inventory;
}

Answer AskWithBudget(const Inventory& inventory, int64_t wanted, int64_t budget) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors, {.budget = budget});
  const std::vector<Claim> claims = {ClaimOf(wanted)};
  return allocator.Allocate(inventory, allocator.Resolve(inventory, PointersTo(claims)), kNode);
}

TEST(Bounds, TheBudgetEndsASearch) {
  const Answer answer = AskWithBudget(ManyWays(), 14, 1000);
  EXPECT_EQ(answer.verdict.kind(), Verdict::Kind::kUnresolvable);
  EXPECT_EQ(answer.verdict.reason(), "search budget of 1000 steps spent");
}

TEST(Bounds, AReasonCostsNoMoreThanThreeSearches) {
  // That these are too few is plain; with how many more it would do is not.
  const Answer answer = AskWithBudget(ManyWays(), 41, 10'000);
  EXPECT_THAT(answer.verdict.reason(), HasSubstr("41 any wanted"));
  EXPECT_GT(answer.steps, 5'000) << "the case is too easy";
  EXPECT_LT(answer.steps, 35'000);
}

TEST(Bounds, HoldingsOfWhatIsNotThereCountLater) {
  Inventory inventory;
  inventory.SetHolding("default/a", {{"p", "", 3, {}}, {"p", "", -5, {}}, {"gone", "x", 1, {}}});
  inventory.SetPool(PoolOf("p", 4));
  EXPECT_EQ(inventory.UseOf("p").used, 3);
  EXPECT_EQ(inventory.UseOf("p").claims, std::vector<std::string>{"default/a"});
  inventory.SetHolding("default/b", {{"p", "", kMostCounted, {}}});
  EXPECT_EQ(inventory.UseOf("p").used, 4);  // no more than there are
  inventory.SetHolding("default/b", {});
  inventory.SetHolding("default/a", {});
  EXPECT_EQ(inventory.UseOf("p").used, 0);
}

TEST(Bounds, ADemandOfOtherPoolsIsNotServed) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", 1));
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  const std::vector<Claim> claims = {ClaimOf(1)};
  const Demand demand = allocator.Resolve(inventory, PointersTo(claims));
  inventory.SetPool(DevicesOf("q", 3));
  EXPECT_EQ(allocator.Allocate(inventory, demand, kNode).verdict.reason(),
            "pools changed in the meantime");
}

TEST(Bounds, AnExpressionThatDoesNotCompileIsNamedWithItsPlace) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", 1));
  Claim claim = ClaimOf(1);
  claim.requests[0].details[0].constraints = "device.model == 'm0' &&";
  const std::string reason = Ask(inventory, {claim}).verdict.reason();
  EXPECT_THAT(reason, HasSubstr("claim default/c1: "));
  EXPECT_THAT(reason, HasSubstr("1:24"));
  EXPECT_THAT(reason, HasSubstr("^"));
}

Class ClassOf(const std::string& name, bool admin_access) {
  Class of;
  of.name = name;
  of.driver = PoolOf("p", 1).driver;
  of.device_type = "gpu";
  of.admin_access = admin_access;
  return of;
}

TEST(Bounds, AskingForATypeIsNotAskingForAdminAccess) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", 1));
  inventory.SetClass(ClassOf("monitor", true));
  inventory.SetHolding("default/a", {{"p", "", 1, {}}});
  Claim claim = ClaimOf(1);
  claim.requests[0].details[0].device_class = "";
  claim.requests[0].details[0].device_type = "gpu";
  EXPECT_THAT(Ask(inventory, {claim}).verdict.reason(), HasSubstr("no DeviceClass of type"));
  inventory.SetClass(ClassOf("gpu", false));
  EXPECT_EQ(Ask(inventory, {claim}).verdict.kind(), Verdict::Kind::kRejected);
}

TEST(Bounds, WhatAdminAccessGetsIsNotHeld) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", 2));
  inventory.SetClass(ClassOf("monitor", true));
  inventory.SetClass(ClassOf("gpu", false));
  Claim claim = ClaimOf(1);
  claim.counts = false;
  claim.requests.push_back(claim.requests[0]);
  claim.requests[0].details[0].device_class = "monitor";
  claim.requests[1].details[0].device_class = "gpu";
  const Answer answer = Ask(inventory, {claim});
  ASSERT_TRUE(answer.verdict.fits()) << answer.verdict.reason();
  EXPECT_EQ(answer.claims[0].allocations.size(), 2u);
  EXPECT_EQ(answer.claims[0].holding, (std::vector<Allocation>{{"p", "", 1, {}}}));
}

TEST(Bounds, AnyDeviceOfADriverNeedsAdminAccess) {
  Inventory inventory;
  inventory.SetPool(PoolOf("p", 1));
  inventory.SetClass(ClassOf("gpu", false));
  inventory.SetHolding("default/a", {{"p", "", 1, {}}});
  Claim claim = ClaimOf(1);
  Detail& detail = claim.requests[0].details[0];
  detail.device_class = "";
  detail.driver = PoolOf("p", 1).driver;
  EXPECT_THAT(Ask(inventory, {claim}).verdict.reason(),
              HasSubstr("neither deviceClass nor deviceType"));
  detail.admin_access = detail.all = true;
  EXPECT_TRUE(Ask(inventory, {claim}).verdict.fits());
  detail.driver = "other";
  EXPECT_FALSE(Ask(inventory, {claim}).verdict.fits());
}

TEST(Bounds, SetsOutOfUseAreForgotten) {
  Inventory inventory;
  for (int64_t i = 0; i < 5000; ++i) {
    Pool pool = PoolOf("p", 1);
    pool.attributes = {{"temperature", i}};
    inventory.SetPool(std::move(pool));
  }
  EXPECT_LT(inventory.state().sets().size(), 2000u);
  EXPECT_TRUE(Ask(inventory, {ClaimOf(1)}).verdict.fits());
}

TEST(Amounts, AreExactToTheBillionth) {
  struct Row {
    const char* text;
    Amount amount;
  };
  for (const Row& row : {Row{"1500Mi", Amount{1500} * 1024 * 1024 * kBillion}, Row{"1n", 1},
                         Row{"1.000000001", kBillion + 1}, Row{"999999999n", kBillion - 1},
                         Row{"123456789n", 123456789}, Row{"0", 0}, Row{"1E", kMostAmount}}) {
    const auto amount = ToAmount(*Quantity::Parse(row.text));
    ASSERT_TRUE(amount.has_value()) << row.text;
    EXPECT_TRUE(*amount == row.amount) << row.text;
    EXPECT_EQ(ToQuantity(*amount, Quantity::Format::kDecimalSI), *Quantity::Parse(row.text));
  }
  EXPECT_FALSE(ToAmount(*Quantity::Parse("-1n")).has_value());
  EXPECT_FALSE(ToAmount(*Quantity::Parse("1.1E")).has_value());
}

}  // namespace
}  // namespace outrigger::devices
