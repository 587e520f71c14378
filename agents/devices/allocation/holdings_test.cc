// Claims that come and go in any order: nothing is given twice, and what is given back is there
// again, once.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/cases_testing.h"
#include "devices/allocation/devices_testing.h"
#include "fmt/format.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using Held = std::map<std::string, std::vector<Allocation>>;

constexpr uint64_t kSeeds = DEVICES_CASES / 40;

// By sums over the objects alone. Empty: nothing is above what there is.
std::string FindExcess(const std::vector<Pool>& pools, const Held& held) {
  std::map<std::string, int64_t> users;
  std::map<std::string, int64_t> sums;
  for (const auto& [claim, allocations] : held) {
    for (const Allocation& one : allocations) {
      const std::string device = one.pool + "/" + one.device;
      users[device] += one.count;
      for (const auto& [name, amount] : one.amounts) sums[device + "/" + name] += amount.Value();
    }
  }
  for (const Pool& pool : pools) {
    if (users[pool.name + "/"] > std::max<int64_t>(pool.count.value_or(0), 0)) return pool.name;
    std::map<std::string, int64_t> counters;
    for (const Device& device : pool.devices) {
      const std::string name = pool.name + "/" + device.name;
      if (device.resources.empty() && users[name] > 1) return name;
      for (const Resource& one : device.resources) {
        if (sums[name + "/" + one.name] > one.capacity.Value()) return name + "/" + one.name;
      }
      if (users[name] == 0) continue;
      for (const auto& [counter, amount] : device.requests) counters[counter] += amount.Value();
    }
    for (const Resource& one : pool.resources) {
      if (counters[one.name] > one.capacity.Value()) return pool.name + "/" + one.name;
    }
  }
  return "";
}

Answer Ask(const Allocator& allocator, const Inventory& inventory, const Case& of) {
  return allocator.Allocate(inventory, allocator.Resolve(inventory, PointersTo(of.claims)), kNode);
}

void ExpectSame(const Answer& a, const Answer& b) {
  EXPECT_EQ(a.verdict.kind(), b.verdict.kind());
  EXPECT_EQ(a.verdict.reason(), b.verdict.reason());
  EXPECT_EQ(a.scores.total, b.scores.total);
  ASSERT_EQ(a.claims.size(), b.claims.size());
  for (size_t i = 0; i < a.claims.size(); ++i) {
    EXPECT_EQ(a.claims[i].allocations, b.claims[i].allocations);
  }
}

std::vector<Class> Classes() {
  std::vector<Class> classes;
  for (const auto& [name, driver] : {std::pair("any", ""), std::pair("other", "d1")}) {
    Class& of = classes.emplace_back();
    of.name = name;
    of.driver = driver;
    of.device_type = "t";
  }
  classes[1].constraints = "device.model == 1";
  return classes;
}

TEST(Holdings, NothingIsGivenTwiceAndAllComesBack) {
  const auto selectors = MakeCelSelectors();
  int given = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Case of = MakeCase(seed);
    of.holdings.clear();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, Describe(of)));
    const Allocator allocator(*selectors);
    Inventory inventory = InventoryOf(of);
    const Answer before = Ask(allocator, inventory, of);
    std::mt19937_64 random(seed);
    Held held;
    for (int step = 0; step < 20; ++step) {
      const std::string claim = fmt::format("default/h-{}", random() % 6);
      std::vector<Allocation> next;
      if (!held.contains(claim)) {
        const Answer answer = Ask(allocator, inventory, of);
        for (const ClaimAllocation& one : answer.claims) {
          next.insert(next.end(), one.holding.begin(), one.holding.end());
        }
        given += next.empty() ? 0 : 1;
      }
      inventory.SetHolding(claim, next);
      held.erase(claim);
      if (!next.empty()) held[claim] = std::move(next);
      ASSERT_EQ(FindExcess(of.pools, held), "") << "is in use more often than it is there";
    }
    for (const auto& [claim, allocations] : held) {
      inventory.SetHolding(claim, {});
      inventory.SetHolding(claim, {});  // a second time gives nothing more
    }
    for (const Pool& pool : of.pools) EXPECT_EQ(inventory.UseOf(pool.name).used, 0);
    ExpectSame(before, Ask(allocator, inventory, of));
    if (HasFailure()) return;
  }
  EXPECT_GT(given, static_cast<int>(kSeeds));
}

// Pools, classes, drivers and what claims hold, each at its place of a random order, and some of
// them set to something else before.
TEST(Holdings, AnyOrderOfInputGivesTheSameAnswerAndReason) {
  const auto selectors = MakeCelSelectors();
  int rejected = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Case of = MakeCase(seed);
    if (seed % 2 != 0) {
      Detail& detail = of.claims[0].requests[0].details[0];
      detail.device_class.clear();
      detail.device_type = "t";
    }
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, Describe(of)));
    std::vector<Driver> drivers(2);
    for (size_t i = 0; i < 2; ++i) drivers[i] = {fmt::format("d{}", i), {"t"}};
    Inventory straight = InventoryOf(of);
    for (const Class& one : Classes()) straight.SetClass(one);
    for (const Driver& driver : drivers) straight.SetDriver(driver);

    Inventory mixed;
    std::vector<std::function<void()>> steps;
    for (const Pool& pool : of.pools) {
      steps.emplace_back([&mixed, &pool] { mixed.SetPool(pool); });
      Pool other = pool;
      other.node = "elsewhere";
      mixed.SetPool(std::move(other));
    }
    for (const auto& [claim, allocations] : of.holdings) {
      const std::string& name = claim;
      const std::vector<Allocation>& all = allocations;
      steps.emplace_back([&mixed, &name, &all] { mixed.SetHolding(name, all); });
      mixed.SetHolding(name, {{of.pools[0].name, "", 3, {}}, {of.pools[0].name, "x0", 1, {}}});
    }
    for (const Class& one : Classes()) {
      steps.emplace_back([&mixed, one] { mixed.SetClass(one); });
      steps.emplace_back(
          [&mixed, driver = drivers[one.driver.empty() ? 0 : 1]] { mixed.SetDriver(driver); });
      mixed.SetClass(one);
      mixed.RemoveClass(one.name);
    }
    std::shuffle(steps.begin(), steps.end(), std::mt19937_64(seed));
    for (const auto& step : steps) step();

    const Allocator allocator(*selectors);
    const Answer answer = Ask(allocator, straight, of);
    rejected += answer.verdict.fits() ? 0 : 1;
    ExpectSame(answer, Ask(allocator, mixed, of));
    for (const Pool& pool : of.pools) {
      EXPECT_EQ(straight.UseOf(pool.name).used, mixed.UseOf(pool.name).used);
      EXPECT_EQ(straight.UseOf(pool.name).claims, mixed.UseOf(pool.name).claims);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(rejected, static_cast<int>(kSeeds / 5));
}

}  // namespace
}  // namespace outrigger::devices
